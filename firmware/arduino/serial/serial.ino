// Reads lines, and answers each in capitals with its length. On a Leonardo Serial is USB, and true once a terminal is open.

String line;

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  Serial.println("ready");
}

void loop() {
  while (Serial.available() > 0) {
    char c = Serial.read();
    if (c != '\n') {
      line += c;
      continue;
    }
    line.toUpperCase();
    Serial.print(line.length());
    Serial.print(' ');
    Serial.println(line);
    line = "";
  }
}
