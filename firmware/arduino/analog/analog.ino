// Reads A0 against the supply and the converter's own reference, and the supply by the band gap, every 100 ms.

// The band gap's channel, with the supply as reference.
#if defined(USBCON)
#define BAND_GAP (bit(REFS0) | 0x1E)
#else
#define BAND_GAP (bit(REFS0) | 0x0E)
#endif

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
}

void loop() {
  Serial.print("A0 ");
  Serial.print(analogRead(A0));
  analogReference(INTERNAL);
  delay(2);
  Serial.print(", by the internal reference ");
  Serial.print(analogRead(A0));
  analogReference(DEFAULT);
  ADMUX = BAND_GAP;
  delay(2);
  ADCSRA |= bit(ADSC);
  while (ADCSRA & bit(ADSC)) {
  }
  Serial.print(", supply ");
  Serial.print(1100L * 1024 / ADC);
  Serial.println(" mV");
  delay(100);
}
