/* The vector table of the RP2040 (RP-008371-DS, "Interrupts"). Every handler is weak, so that a program takes an interrupt by
 * defining the function. */
#include "armv6m_vectors.h"

/* Number and name of each interrupt. No block has the last six, which software may raise. */
#define INTERRUPTS(X) \
    X(0, TIMER_0) X(1, TIMER_1) X(2, TIMER_2) X(3, TIMER_3) X(4, PWM_WRAP) X(5, USBCTRL) X(6, XIP) X(7, PIO0_0) \
    X(8, PIO0_1) X(9, PIO1_0) X(10, PIO1_1) X(11, DMA_0) X(12, DMA_1) X(13, IO_BANK0) X(14, IO_QSPI) X(15, SIO_PROC0) \
    X(16, SIO_PROC1) X(17, CLOCKS) X(18, SPI0) X(19, SPI1) X(20, UART0) X(21, UART1) X(22, ADC_FIFO) X(23, I2C0) \
    X(24, I2C1) X(25, RTC) X(26, SPARE_0) X(27, SPARE_1) X(28, SPARE_2) X(29, SPARE_3) X(30, SPARE_4) X(31, SPARE_5)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 32] = {
    SYSTEM_VECTORS(Reset_Handler),
    INTERRUPTS(ENTRY)
};
