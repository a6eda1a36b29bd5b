// Sleep and the watchdog: ten naps until the next interrupt, half a second in power-down, and a reset for want of feeding. In
// power-down the Leonardo's USB stands still, so that it talks by its USART.

#include <avr/sleep.h>
#include <avr/wdt.h>

#if defined(USBCON)
#define Port Serial1
#else
#define Port Serial
#endif

volatile byte woken = 0;

ISR(WDT_vect) {
  woken++;
}

void nap(byte mode) {
  set_sleep_mode(mode);
  sleep_mode();
}

void setup() {
  byte why = MCUSR;
  MCUSR = 0;
  wdt_disable();
  Port.begin(115200);
  if (why & bit(WDRF)) {
    Port.println("back by the watchdog");
    return;
  }
  Port.println("begun");
  Port.flush();

  unsigned long begun = millis();
  for (byte i = 0; i < 10; i++) {
    nap(SLEEP_MODE_IDLE);
  }
  Port.print("ten naps took ");
  Port.print(millis() - begun);
  Port.println(" ms");
  Port.flush();
  delay(5);

  noInterrupts();
  WDTCSR |= bit(WDCE) | bit(WDE);
  WDTCSR = bit(WDIE) | bit(WDP2) | bit(WDP0);
  interrupts();
  nap(SLEEP_MODE_PWR_DOWN);
  wdt_disable();
  Port.print("woken by the watchdog: ");
  Port.println(woken);

  wdt_enable(WDTO_120MS);
  for (byte i = 0; i < 4; i++) {
    wdt_reset();
    delay(100);
  }
  Port.println("no more food");
  for (;;) {
  }
}

void loop() {
}
