// What the programs for STM32 share: vectors, start-up, USART1, the end by semihosting. No pin and no clock is set: QEMU's
// boards have neither.
#include <stdint.h>

#define R32(address) (*(volatile uint32_t *)(address))
#define R8(address) (*(volatile uint8_t *)(address))

enum { SPI1 = 0x40013000, NVIC_ISER = 0xE000E100 };
enum { SR = 0, DR = 4, BRR = 8, CR1 = 12 };
enum { RXNE = 1 << 5, TC = 1 << 6, TXE = 1 << 7 };

#ifdef F4
enum { USART1 = 0x40011000, RCC_APB1ENR = 0x40023840, RCC_APB2ENR = 0x40023844, USART1EN = 1 << 4, HZ = 16000000 };
#else
enum { USART1 = 0x40013800, RCC_APB1ENR = 0x4002101C, RCC_APB2ENR = 0x40021018, USART1EN = 1 << 14, HZ = 8000000 };
#endif
enum { SPI1EN = 1 << 12 };

int main(void);
void start(void);
// Of what a program does not have the vector is 0.
__attribute__((weak)) void usart1(void);
__attribute__((weak)) void tim2(void);
__attribute__((weak)) void exti0(void);

static void stop(uint32_t code)
{
  // SYS_EXIT_EXTENDED: the reason and the code.
  static uint32_t block[2];
  block[0] = 0x20026;
  block[1] = code;
  register uint32_t r0 __asm__("r0") = 0x20;
  register uint32_t r1 __asm__("r1") = (uint32_t)block;
  __asm__ volatile("bkpt 0xab" : : "r"(r0), "r"(r1) : "memory");
  for (;;) {
  }
}

extern uint32_t stack_top, bss_begin, bss_end, data_begin, data_end, data_from;

__attribute__((section(".vectors"), used)) static void *const vectors[16 + 60] = {
  [0] = &stack_top, [1] = start, [16 + 6] = exti0, [16 + 28] = tim2, [16 + 37] = usart1,
};

static void put(char character)
{
  while (!(R32(USART1 + SR) & TXE)) {
  }
  R32(USART1 + DR) = character;
}

static void print(const char *text)
{
  while (*text)
    put(*text++);
}

static void hex(uint32_t value)
{
  for (int shift = 28; shift >= 0; shift -= 4)
    put("0123456789abcdef"[value >> shift & 15]);
}

__attribute__((unused)) static void line(const char *name, uint32_t value)
{
  print(name);
  put(' ');
  hex(value);
  put('\n');
}

static void enable(uint32_t line_number) { R32(NVIC_ISER + line_number / 32 * 4) = 1u << line_number % 32; }

void start(void)
{
  for (uint32_t *to = &data_begin, *from = &data_from; to < &data_end;)
    *to++ = *from++;
  for (uint32_t *at = &bss_begin; at < &bss_end;)
    *at++ = 0;
  (void)enable;
  R32(RCC_APB2ENR) |= USART1EN;
  R32(USART1 + BRR) = HZ / 115200;
  // UE, TE, RE.
  R32(USART1 + CR1) = 1 << 13 | 1 << 3 | 1 << 2;
  int code = main();
  while (!(R32(USART1 + SR) & TC)) {
  }
  stop(code);
}
