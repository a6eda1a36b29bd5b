// A flash memory W25Q32 on SPI, its chip select on pin 10: who it is, a page programmed and read back.

#include <SPI.h>

const int select = 10;

enum : byte { PROGRAM = 0x02, READ = 0x03, STATUS = 0x05, ENABLE = 0x06, WHO = 0x9F };

byte ask(byte command) {
  digitalWrite(select, LOW);
  SPI.transfer(command);
  byte answer = SPI.transfer(0);
  digitalWrite(select, HIGH);
  return answer;
}

void at(byte command, byte page) {
  digitalWrite(select, LOW);
  SPI.transfer(command);
  SPI.transfer(0);
  SPI.transfer16(page << 8);
}

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  digitalWrite(select, HIGH);
  pinMode(select, OUTPUT);
  SPI.begin();
  SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));

  digitalWrite(select, LOW);
  SPI.transfer(WHO);
  Serial.print("id ");
  for (int i = 0; i < 3; i++) {
    Serial.print(SPI.transfer(0), HEX);
    Serial.print(i < 2 ? " " : "\r\n");
  }
  digitalWrite(select, HIGH);

  ask(ENABLE);
  char text[] = "page one";
  at(PROGRAM, 1);
  SPI.transfer(text, 8);
  digitalWrite(select, HIGH);
  while (ask(STATUS) & 1) {
  }
  at(READ, 1);
  for (int i = 0; i < 8; i++) {
    Serial.print((char)SPI.transfer(0));
  }
  digitalWrite(select, HIGH);
  Serial.println();
  SPI.endTransaction();
}

void loop() {
}
