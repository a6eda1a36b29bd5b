// Every 100 ms a line with both of Arduino's clocks, and the LED on pin 13 turned over. Nothing here knows cyclescope.

// The Leonardo's Serial is USB; its USART is Serial1, on pins 0 and 1.
#if defined(USBCON)
#define Port Serial1
#else
#define Port Serial
#endif

const unsigned long period = 100;

unsigned long next = 0;

void setup() {
  pinMode(LED_BUILTIN, OUTPUT);
  Port.begin(115200);
}

void loop() {
  if (millis() - next < period) {
    return;
  }
  next += period;
  digitalWrite(LED_BUILTIN, !digitalRead(LED_BUILTIN));
  Port.print(millis());
  Port.print(' ');
  Port.println(micros());
}
