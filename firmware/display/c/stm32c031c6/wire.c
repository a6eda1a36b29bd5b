/* STM32C031: I2C1 on PB8 and PB9, SPI1 on PA5 and PA7 with chip select PA4 and D/C PA3 (DS13867, alternate functions;
 * RM0490, "I2C registers", "SPI registers"). */
#include "wire.h"

#include "stm32_pins.h"
#include "stm32c031.h"

#define RCC_IOPENR_GPIOBEN (1u << 1)
#define RCC_APBENR1_I2C1EN (1u << 21)
#define RCC_APBENR2 REG32(0x40021040u)
#define RCC_APBENR2_SPI1EN (1u << 12)

#define GPIOA 0x50000000u
#define GPIOB 0x50000400u

#if defined(WIRE_I2C_HZ)

#define I2C_CR1 REG32(0x40005400u)
#define I2C_CR1_PE (1u << 0)
#define I2C_CR2 REG32(0x40005404u)
#define I2C_CR2_SADD(address) ((address) << 1)
#define I2C_CR2_START (1u << 13)
#define I2C_CR2_NBYTES(count) ((uint32_t)(count) << 16)
#define I2C_CR2_RELOAD (1u << 24)
#define I2C_CR2_AUTOEND (1u << 25)
#define I2C_TIMINGR REG32(0x40005410u)
#define I2C_ISR REG32(0x40005418u)
#define I2C_ISR_TXIS (1u << 1)
#define I2C_ISR_STOPF (1u << 5)
#define I2C_ISR_TCR (1u << 7)
#define I2C_ICR REG32(0x4000541Cu)
#define I2C_TXDR REG32(0x40005428u)

/* Of 48 MHz, as embassy-stm32 computes it, so that all ways have one clock on the wire. */
#define TIMING (WIRE_I2C_HZ > 100000u ? 0x007C274Fu : 0x00F8EFEFu)

void wire_init(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOBEN;
    RCC_APBENR1 |= RCC_APBENR1_I2C1EN;
    (void)RCC_APBENR1;
    pin_open_drain(GPIOB, 8, 6);
    pin_open_drain(GPIOB, 9, 6);
    I2C_TIMINGR = TIMING;
    I2C_CR1 = I2C_CR1_PE;
}

static void wait_for(uint32_t flag) {
    while ((I2C_ISR & flag) == 0) {
    }
}

/** The settings for the next bytes, of `left`: 255 at most. */
static uint32_t portion(uint16_t left) {
    return I2C_CR2_SADD(DISPLAY_ADDRESS) |
           (left > 255u ? I2C_CR2_NBYTES(255u) | I2C_CR2_RELOAD : I2C_CR2_NBYTES(left) | I2C_CR2_AUTOEND);
}

void wire_send(uint8_t control, const uint8_t *bytes, uint16_t length) {
    uint16_t left = length + 1u;

    I2C_CR2 = portion(left) | I2C_CR2_START;
    wait_for(I2C_ISR_TXIS);
    I2C_TXDR = control;
    for (uint8_t count = 1; length != 0; length -= 1, bytes += 1, count += 1) {
        if (count == 255u) {
            wait_for(I2C_ISR_TCR);
            left -= 255u;
            count = 0;
            I2C_CR2 = portion(left);
        }
        wait_for(I2C_ISR_TXIS);
        I2C_TXDR = *bytes;
    }
    wait_for(I2C_ISR_STOPF);
    I2C_ICR = I2C_ISR_STOPF;
}

#else

#define SPI_CR1 REG32(0x40013000u)
#define SPI_CR1_MSTR (1u << 2)
#define SPI_CR1_BR_8 (2u << 3) /* 48 MHz / 8: the display takes 10 MHz at most */
#define SPI_CR1_SPE (1u << 6)
#define SPI_CR1_SSI (1u << 8)
#define SPI_CR1_SSM (1u << 9)
#define SPI_CR1_BIDIOE (1u << 14)
#define SPI_CR1_BIDIMODE (1u << 15)
#define SPI_CR2 REG32(0x40013004u)
#define SPI_CR2_DS_8 (7u << 8)
#define SPI_SR REG32(0x40013008u)
#define SPI_SR_TXE (1u << 1)
#define SPI_SR_BSY (1u << 7)
#define SPI_SR_FTLVL (3u << 11)
/* A byte, not two: the width of the access decides. */
#define SPI_DR (*(volatile uint8_t *)0x4001300Cu)

void wire_init(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN;
    RCC_APBENR2 |= RCC_APBENR2_SPI1EN;
    (void)RCC_APBENR2;
    pin_output(GPIOA, 4);
    pin_output(GPIOA, 3);
    pin_alternate(GPIOA, 5, 0);
    pin_alternate(GPIOA, 7, 0);
    SPI_CR1 = SPI_CR1_BIDIMODE | SPI_CR1_BIDIOE | SPI_CR1_SSM | SPI_CR1_SSI | SPI_CR1_BR_8 | SPI_CR1_MSTR;
    SPI_CR2 = SPI_CR2_DS_8;
    SPI_CR1 |= SPI_CR1_SPE;
}

static void wait_until_empty(void) {
    while ((SPI_SR & SPI_SR_TXE) == 0) {
    }
}

static void wait_until_idle(void) {
    while ((SPI_SR & (SPI_SR_FTLVL | SPI_SR_BSY)) != 0) {
    }
}

void wire_send(uint8_t control, const uint8_t *bytes, uint16_t length) {
    if (control == WIRE_DATA) {
        pin_high(GPIOA, 3);
    } else {
        pin_low(GPIOA, 3);
    }
    pin_low(GPIOA, 4);
    for (; length != 0; length -= 1, bytes += 1) {
        wait_until_empty();
        SPI_DR = *bytes;
    }
    wait_until_idle();
    pin_high(GPIOA, 4);
}

#endif
