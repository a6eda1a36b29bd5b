// Pins: a tone on 8 counted by an interrupt on 3, the pulses of analogWrite on 9 measured on 7, and the EEPROM. Wires go from
// 8 to 3 and from 9 to 7.

#include <EEPROM.h>

volatile unsigned edges = 0;

void count() {
  edges++;
}

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  attachInterrupt(digitalPinToInterrupt(3), count, CHANGE);
  tone(8, 1000, 50);
  delay(100);
  Serial.print("edges ");
  Serial.println(edges);

  analogWrite(9, 64);
  unsigned long high = pulseIn(7, HIGH);
  unsigned long low = pulseIn(7, LOW);
  Serial.print("pulse ");
  Serial.print(high);
  Serial.print(" us of ");
  Serial.println(high + low);

  for (int i = 0; i < 4; i++) {
    EEPROM.update(i, EEPROM.read(i) + i);
  }
  Serial.print("kept");
  for (int i = 0; i < 4; i++) {
    Serial.print(' ');
    Serial.print(EEPROM[i]);
  }
  Serial.println();
}

void loop() {
}
