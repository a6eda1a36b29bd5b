/* STM32F446: I2C1 on PB8 and PB9, SPI1 on PA5 and PA7 with chip select PA4 and D/C PA3 (DS10693, alternate functions;
 * RM0390, "I2C registers", "SPI registers"). */
#include "wire.h"

#include "stm32_pins.h"
#include "stm32f446.h"

#define RCC_AHB1ENR_GPIOAEN (1u << 0)
#define RCC_AHB1ENR_GPIOBEN (1u << 1)
#define RCC_APB1ENR_I2C1EN (1u << 21)
#define RCC_APB2ENR REG32(0x40023844u)
#define RCC_APB2ENR_SPI1EN (1u << 12)

#define GPIOA 0x40020000u
#define GPIOB 0x40020400u

#if defined(WIRE_I2C_HZ)

#define I2C_CR1 REG32(0x40005400u)
#define I2C_CR1_PE (1u << 0)
#define I2C_CR1_START (1u << 8)
#define I2C_CR1_STOP (1u << 9)
#define I2C_CR2 REG32(0x40005404u)
#define I2C_DR REG32(0x40005410u)
#define I2C_SR1 REG32(0x40005414u)
#define I2C_SR1_SB (1u << 0)
#define I2C_SR1_ADDR (1u << 1)
#define I2C_SR1_BTF (1u << 2)
#define I2C_SR1_TXE (1u << 7)
#define I2C_SR2 REG32(0x40005418u)
#define I2C_CCR REG32(0x4000541Cu)
#define I2C_CCR_FS (1u << 15)
#define I2C_TRISE REG32(0x40005420u)

#define PCLK_MHZ (STM32F446_PCLK1_HZ / 1000000u)

void wire_init(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOBEN;
    RCC_APB1ENR |= RCC_APB1ENR_I2C1EN;
    (void)RCC_APB1ENR;
    pin_open_drain(GPIOB, 8, 4);
    pin_open_drain(GPIOB, 9, 4);
    I2C_CR2 = PCLK_MHZ;
    if (WIRE_I2C_HZ > 100000u) {
        /* Low twice as long as high, rounded as embassy-stm32 does; a rise of 300 ns. */
        I2C_CCR = I2C_CCR_FS | (STM32F446_PCLK1_HZ / (3u * WIRE_I2C_HZ));
        I2C_TRISE = PCLK_MHZ * 300u / 1000u + 1u;
    } else {
        I2C_CCR = STM32F446_PCLK1_HZ / (2u * WIRE_I2C_HZ);
        I2C_TRISE = PCLK_MHZ + 1u;
    }
    I2C_CR1 = I2C_CR1_PE;
}

static void wait_for(uint32_t flag) {
    while ((I2C_SR1 & flag) == 0) {
    }
}

static void wait_for_stop(void) {
    while ((I2C_CR1 & I2C_CR1_STOP) != 0) {
    }
}

void wire_send(uint8_t control, const uint8_t *bytes, uint16_t length) {
    I2C_CR1 = I2C_CR1_PE | I2C_CR1_START;
    wait_for(I2C_SR1_SB);
    I2C_DR = DISPLAY_ADDRESS << 1;
    wait_for(I2C_SR1_ADDR);
    (void)I2C_SR2;
    I2C_DR = control;
    for (; length != 0; length -= 1, bytes += 1) {
        wait_for(I2C_SR1_TXE);
        I2C_DR = *bytes;
    }
    wait_for(I2C_SR1_BTF);
    I2C_CR1 = I2C_CR1_PE | I2C_CR1_STOP;
    wait_for_stop();
}

#else

#define SPI_CR1 REG32(0x40013000u)
#define SPI_CR1_MSTR (1u << 2)
#define SPI_CR1_BR_16 (3u << 3) /* 90 MHz / 16: the display takes 10 MHz at most */
#define SPI_CR1_SPE (1u << 6)
#define SPI_CR1_SSI (1u << 8)
#define SPI_CR1_SSM (1u << 9)
#define SPI_CR1_BIDIOE (1u << 14)
#define SPI_CR1_BIDIMODE (1u << 15)
#define SPI_SR REG32(0x40013008u)
#define SPI_SR_TXE (1u << 1)
#define SPI_SR_BSY (1u << 7)
#define SPI_DR REG32(0x4001300Cu)

void wire_init(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOAEN;
    RCC_APB2ENR |= RCC_APB2ENR_SPI1EN;
    (void)RCC_APB2ENR;
    pin_output(GPIOA, 4);
    pin_output(GPIOA, 3);
    pin_alternate(GPIOA, 5, 5);
    pin_alternate(GPIOA, 7, 5);
    SPI_CR1 = SPI_CR1_BIDIMODE | SPI_CR1_BIDIOE | SPI_CR1_SSM | SPI_CR1_SSI | SPI_CR1_BR_16 | SPI_CR1_MSTR;
    SPI_CR1 |= SPI_CR1_SPE;
}

static void wait_until_empty(void) {
    while ((SPI_SR & SPI_SR_TXE) == 0) {
    }
}

static void wait_until_idle(void) {
    while ((SPI_SR & SPI_SR_BSY) != 0) {
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
    wait_until_empty();
    wait_until_idle();
    pin_high(GPIOA, 4);
}

#endif
