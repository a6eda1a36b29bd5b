// What the README's example takes from its board, so that `make readme` can compile it.
#include <stdint.h>

unsigned long millis();
void start_conversion();
bool conversion_is_done();
uint16_t result();
void print(uint16_t);
