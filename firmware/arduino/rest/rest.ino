// Sleep and the watchdog: ten naps until the next interrupt, half a second in power-down, and a reset for want of feeding.

#include <avr/sleep.h>
#include <avr/wdt.h>

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
  Serial.begin(115200);
  while (!Serial) {
  }
  if (why & bit(WDRF)) {
    Serial.println("back by the watchdog");
    return;
  }
  Serial.println("begun");
  Serial.flush();

  unsigned long begun = millis();
  for (byte i = 0; i < 10; i++) {
    nap(SLEEP_MODE_IDLE);
  }
  Serial.print("ten naps took ");
  Serial.print(millis() - begun);
  Serial.println(" ms");
  Serial.flush();
  delay(5);

  noInterrupts();
  WDTCSR |= bit(WDCE) | bit(WDE);
  WDTCSR = bit(WDIE) | bit(WDP2) | bit(WDP0);
  interrupts();
  nap(SLEEP_MODE_PWR_DOWN);
  wdt_disable();
  Serial.print("woken by the watchdog: ");
  Serial.println(woken);

  wdt_enable(WDTO_120MS);
  for (byte i = 0; i < 4; i++) {
    wdt_reset();
    delay(100);
  }
  Serial.println("no more food");
  for (;;) {
  }
}

void loop() {
}
