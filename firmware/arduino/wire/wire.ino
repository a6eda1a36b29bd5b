// Scans the I2C bus; then a memory of 4 KB at 0x50 gets a text and gives it back.

#include <Wire.h>

const byte memory = 0x50;

void scan() {
  for (byte address = 1; address < 127; address++) {
    Wire.beginTransmission(address);
    if (Wire.endTransmission() == 0) {
      Serial.print("found 0x");
      Serial.println(address, HEX);
    }
  }
}

void place(unsigned at) {
  Wire.beginTransmission(memory);
  Wire.write(at >> 8);
  Wire.write(at & 0xFF);
}

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  Wire.begin();
  scan();
  Wire.setClock(400000);
  place(32);
  Wire.write("kept");
  Serial.print("written: ");
  Serial.println(Wire.endTransmission());
  unsigned polls = 0;
  do {
    Wire.beginTransmission(memory);
    polls++;
  } while (Wire.endTransmission() != 0 && polls < 1000);
  place(32);
  Serial.print("asked: ");
  Serial.println(Wire.endTransmission(false));
  Serial.print(Wire.requestFrom(memory, (byte)4));
  Serial.print(" bytes: ");
  while (Wire.available()) {
    Serial.print((char)Wire.read());
  }
  Serial.println();
}

void loop() {
}
