/* The vector table of the STM32C031 (RM0490, "Nested vectored interrupt controller", table of vectors). Every handler
 * is weak, so that a program takes an interrupt by defining the function. */
#include "armv6m_vectors.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, WWDG) X(2, RTC) X(3, FLASH) X(4, RCC) X(5, EXTI0_1) X(6, EXTI2_3) X(7, EXTI4_15) X(9, DMA1_Channel1) \
    X(10, DMA1_Channel2_3) X(11, DMAMUX1) X(12, ADC1) X(13, TIM1_BRK_UP_TRG_COM) X(14, TIM1_CC) X(16, TIM3) \
    X(19, TIM14) X(21, TIM16) X(22, TIM17) X(23, I2C1) X(25, SPI1) X(27, USART1) X(28, USART2)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 32] = {
    SYSTEM_VECTORS(Reset_Handler),
    INTERRUPTS(ENTRY)
};
