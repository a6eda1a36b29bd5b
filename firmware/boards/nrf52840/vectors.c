/* The vector table of the nRF52840 (4413_417, "Instantiation": a peripheral's number is its address's, and its interrupt's).
 * Every handler is weak, so that a program takes an interrupt by defining the function. */
#include "armv7m_vectors.h"
#include "fpu.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, POWER_CLOCK) X(1, RADIO) X(2, UARTE0_UART0) X(3, SPIM0_SPIS0_TWIM0_TWIS0_SPI0_TWI0) \
    X(4, SPIM1_SPIS1_TWIM1_TWIS1_SPI1_TWI1) X(5, NFCT) X(6, GPIOTE) X(7, SAADC) X(8, TIMER0) X(9, TIMER1) X(10, TIMER2) \
    X(11, RTC0) X(12, TEMP) X(13, RNG) X(14, ECB) X(15, CCM_AAR) X(16, WDT) X(17, RTC1) X(18, QDEC) X(19, COMP_LPCOMP) \
    X(20, SWI0_EGU0) X(21, SWI1_EGU1) X(22, SWI2_EGU2) X(23, SWI3_EGU3) X(24, SWI4_EGU4) X(25, SWI5_EGU5) X(26, TIMER3) \
    X(27, TIMER4) X(28, PWM0) X(29, PDM) X(32, MWU) X(33, PWM1) X(34, PWM2) X(35, SPIM2_SPIS2_SPI2) X(36, RTC2) X(37, I2S) \
    X(38, FPU) X(39, USBD) X(40, UARTE1) X(41, QSPI) X(42, CRYPTOCELL) X(45, PWM3) X(47, SPIM3)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 48] = {
    SYSTEM_VECTORS(Fpu_Reset_Handler),
    INTERRUPTS(ENTRY)
};
