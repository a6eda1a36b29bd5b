// Starts on any part of a family at its reset clock: counts interrupts of SysTick, says on USART1 (PA9) what came of them, and
// ends by semihosting. FAMILY is the family's number below; the registers are those of its reference manual.
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

// The RCC's enables of port A and of USART1, the port, and the clock after reset in Hz.
#if FAMILY == 1 // STM32F1, RM0008 and RM0041
#define PORT_ENABLE REGISTER(0x40021018)
#define PORT_BIT (1 << 2)
#define USART_ENABLE REGISTER(0x40021018)
#define PORT 0x40010800
#define CLOCK 8000000
#elif FAMILY == 4 // STM32F4, RM0090
#define PORT_ENABLE REGISTER(0x40023830)
#define PORT_BIT (1 << 0)
#define USART_ENABLE REGISTER(0x40023844)
#define USART_BIT (1 << 4)
#define USART 0x40011000
#define PORT 0x40020000
#define FUNCTION 7
#define CLOCK 16000000
#elif FAMILY == 10 // STM32C0, RM0490
#define PORT_ENABLE REGISTER(0x40021034)
#define PORT_BIT (1 << 0)
#define USART_ENABLE REGISTER(0x40021040)
#define PORT 0x50000000
#define FUNCTION 1
#define CLOCK 12000000
#elif FAMILY == 20 // STM32G0, RM0444
#define PORT_ENABLE REGISTER(0x40021034)
#define PORT_BIT (1 << 0)
#define USART_ENABLE REGISTER(0x40021040)
#define PORT 0x50000000
#define FUNCTION 1
#define CLOCK 16000000
#elif FAMILY == 24 // STM32G4, RM0440
#define PORT_ENABLE REGISTER(0x4002104C)
#define PORT_BIT (1 << 0)
#define USART_ENABLE REGISTER(0x40021060)
#define PORT 0x48000000
#define FUNCTION 7
#define CLOCK 16000000
#elif FAMILY == 34 // STM32L4 and L4+, RM0351 and RM0432
#define PORT_ENABLE REGISTER(0x4002104C)
#define PORT_BIT (1 << 0)
#define USART_ENABLE REGISTER(0x40021060)
#define PORT 0x48000000
#define FUNCTION 7
#define CLOCK 4000000
#endif

#ifndef USART
#define USART 0x40013800
#define USART_BIT (1 << 14)
#endif

// The first serial ports have one status and one data register, those of later families two data registers.
#if FAMILY == 1 || FAMILY == 4
#define STATUS REGISTER(USART)
#define DATA REGISTER(USART + 4)
#define BRR REGISTER(USART + 8)
#define CR1 REGISTER(USART + 12)
enum { ENABLED = 1 << 13 | 1 << 3 };
#else
#define STATUS REGISTER(USART + 0x1C)
#define DATA REGISTER(USART + 0x28)
#define BRR REGISTER(USART + 0x0C)
#define CR1 REGISTER(USART)
enum { ENABLED = 1 << 0 | 1 << 3 };
#endif
enum { SENT = 1 << 6, EMPTY = 1 << 7, BAUD = 115200, TICKS = 10 };

#define SYST_CSR REGISTER(0xE000E010)
#define SYST_RVR REGISTER(0xE000E014)
#define SYST_CVR REGISTER(0xE000E018)

extern uint32_t _data[], _data_end[], _data_load[], _bss[], _bss_end[], _stack[];

static volatile uint32_t ticks;
static volatile uint32_t first = 0x600D600D;

static void print(const char *text) {
    while (*text) {
        while (!(STATUS & EMPTY)) {
        }
        DATA = (uint8_t)*text++;
    }
}

static void tick(void) { ticks++; }

// Ends the run (semihosting's SYS_EXIT, ADP_Stopped_ApplicationExit is success).
static void end(uint32_t reason) {
    register uint32_t operation __asm__("r0") = 0x18;
    register uint32_t argument __asm__("r1") = reason;
    __asm__ volatile("bkpt 0xAB" ::"r"(operation), "r"(argument) : "memory");
    for (;;) {
    }
}

static void start(void) {
    for (uint32_t *to = _data, *from = _data_load; to < _data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = _bss; to < _bss_end;) {
        *to++ = 0;
    }

    PORT_ENABLE |= PORT_BIT;
    USART_ENABLE |= USART_BIT;
    (void)USART_ENABLE;
#if FAMILY == 1
    // PA9 as an alternate function, push-pull at 2 MHz.
    REGISTER(PORT + 4) = (REGISTER(PORT + 4) & ~0xF0u) | 0xA0;
#else
    REGISTER(PORT + 0x24) = (REGISTER(PORT + 0x24) & ~0xF0u) | FUNCTION << 4;
    REGISTER(PORT) = (REGISTER(PORT) & ~(3u << 18)) | 2u << 18;
#endif
    BRR = (CLOCK + BAUD / 2) / BAUD;
    CR1 = ENABLED;

    // A millisecond each, by the core's clock.
    SYST_RVR = CLOCK / 1000 - 1;
    SYST_CVR = 0;
    SYST_CSR = 7;
    while (ticks < TICKS) {
        __asm__ volatile("wfi");
    }
    SYST_CSR = 0;

    print(first == 0x600D600D ? "ten ticks\n" : "no data\n");
    while (!(STATUS & SENT)) {
    }
    end(0x20026);
}

static void fault(void) { end(0x20023); }

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    _stack, (void *)start, (void *)fault, (void *)fault, [15] = (void *)tick};
