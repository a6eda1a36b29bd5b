// Checksums with published check values, functions of strings, numbers to text and back.
#include "common.h"

static char line[96], copy[96], packed[144];
static uint32_t table[256];

static void prepare(void)
{
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; bit++)
      value = value >> 1 ^ (value & 1 ? 0xEDB88320 : 0);
    table[i] = value;
  }
}

static NOINLINE uint32_t crc32(const char *text, size_t bytes)
{
  uint32_t crc = ~0u;
  while (bytes-- > 0)
    crc = crc >> 8 ^ table[(crc ^ (uint8_t)*text++) & 0xFF];
  return ~crc;
}

static NOINLINE uint16_t crc16(const char *text, size_t bytes)
{
  uint16_t crc = 0xFFFF;
  while (bytes-- > 0) {
    crc ^= (uint16_t)((uint8_t)*text++ << 8);
    for (int bit = 0; bit < 8; bit++)
      crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
  }
  return crc;
}

static NOINLINE uint32_t adler(const char *text, size_t bytes)
{
  uint32_t a = 1, b = 0;
  while (bytes-- > 0) {
    a = (a + (uint8_t)*text++) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static NOINLINE size_t length(const char *text)
{
  const char *end = text;
  while (*end != '\0')
    end++;
  return (size_t)(end - text);
}

static NOINLINE int compare(const char *a, const char *b)
{
  while (*a != '\0' && *a == *b)
    a++, b++;
  return (uint8_t)*a - (uint8_t)*b;
}

static NOINLINE void move(char *to, const char *from, size_t bytes)
{
  if (to < from)
    for (size_t i = 0; i < bytes; i++)
      to[i] = from[i];
  else
    while (bytes-- > 0)
      to[bytes] = from[bytes];
}

static NOINLINE char *find(char *text, const char *what)
{
  for (size_t bytes = length(what); *text != '\0'; text++) {
    size_t i = 0;
    while (i < bytes && text[i] == what[i])
      i++;
    if (i == bytes)
      return text;
  }
  return NULL;
}

static NOINLINE char *print(char *to, int32_t value, unsigned base, unsigned width)
{
  char digits[34];
  unsigned count = 0;
  uint32_t rest = value < 0 && base == 10 ? 0u - (uint32_t)value : (uint32_t)value;
  do {
    digits[count++] = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % base];
    rest /= base;
  } while (rest != 0);
  if (value < 0 && base == 10)
    digits[count++] = '-';
  while (width > count)
    *to++ = ' ', width--;
  while (count > 0)
    *to++ = digits[--count];
  *to = '\0';
  return to;
}

static NOINLINE int32_t parse(const char *text, unsigned base)
{
  uint32_t value = 0;
  int negative = 0;
  while (*text == ' ')
    text++;
  if (*text == '-')
    negative = 1, text++;
  for (;; text++) {
    unsigned digit;
    switch (*text) {
    case '0' ... '9': digit = (unsigned)(*text - '0'); break;
    case 'a' ... 'z': digit = (unsigned)(*text - 'a' + 10); break;
    default: return (int32_t)(negative ? 0u - value : value);
    }
    value = value * base + digit;
  }
}

static NOINLINE size_t base64(char *to, const char *from, size_t bytes)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *start = to;
  for (; bytes >= 3; bytes -= 3, from += 3) {
    uint32_t word = (uint32_t)(uint8_t)from[0] << 16 | (uint32_t)(uint8_t)from[1] << 8 | (uint8_t)from[2];
    for (int shift = 18; shift >= 0; shift -= 6)
      *to++ = letters[word >> shift & 63];
  }
  *to = '\0';
  return (size_t)(to - start);
}

int main(void)
{
  static const char nine[] = "123456789";
  prepare();
  // The check values of CRC-32, of CRC-16 with 0x1021 and of Adler-32.
  CHECK(crc32(nine, 9) == 0xCBF43926);
  CHECK(crc16(nine, 9) == 0x29B1);
  CHECK(adler(nine, 9) == 0x091E01DE);
  CHECK(base64(packed, "Man", 3) == 4 && compare(packed, "TWFu") == 0);
  uint32_t sum = 0;
  for (int round = 0; round < 4 * SCALE; round++) {
    int32_t value = (int32_t)next() >> (round * 5 & 31);
    unsigned base = 2 + next() % 35;
    char *end = print(line, value, base == 10 || value >= 0 ? base : 16, 12);
    CHECK((size_t)(end - line) == length(line));
    CHECK(parse(line, base == 10 || value >= 0 ? base : 16) == value);
    move(end, " and ", 6);
    print(end + 5, round, 10, 0);
    move(copy, line, length(line) + 1);
    CHECK(compare(copy, line) == 0 && find(line, "and") == end + 1 && find(line, "nand") == NULL);
    move(copy + 3, copy, length(copy) + 1);
    CHECK(compare(copy + 3, line) == 0);
    sum = sum * 31 + crc32(line, length(line)) + crc16(copy, 12) + adler(line, length(line));
    size_t bytes = base64(packed, line, length(line) / 3 * 3);
    CHECK(bytes == length(packed));
    sum ^= crc32(packed, bytes);
    CHECK(compare("ab", "ac") < 0 && compare("b", "a") > 0);
  }
  table[0] = sum;
  finish();
}
