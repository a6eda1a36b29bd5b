// Times 10,000 additions in a plain loop, then prints more than USB's banks and buffers hold. On a Leonardo Serial is USB, whose start
// of each frame interrupts the loop every millisecond.

volatile uint32_t counter;

void setup() {
  Serial.begin(115200);
  while (!Serial) {
  }
  uint32_t from = micros();
  for (unsigned left = 10000; left != 0; left -= 1) {
    counter = counter + 1;
  }
  uint32_t took = micros() - from;
  Serial.print("additions ");
  Serial.print(counter);
  Serial.print(" in ");
  Serial.print(took);
  Serial.println(" us");
  for (unsigned line = 1; line <= 100; line += 1) {
    Serial.print("line ");
    Serial.print(line);
    Serial.println(" of a hundred");
  }
}

void loop() {}
