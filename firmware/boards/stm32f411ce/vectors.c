/* The vector table of the STM32F411 (RM0383, "Interrupt and exception vectors"). Every handler is weak, so that a
 * program takes an interrupt by defining the function. */
#include "armv7m_vectors.h"
#include "fpu.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, WWDG) X(1, PVD) X(2, TAMP_STAMP) X(3, RTC_WKUP) X(4, FLASH) X(5, RCC) X(6, EXTI0) X(7, EXTI1) X(8, EXTI2) \
    X(9, EXTI3) X(10, EXTI4) X(11, DMA1_Stream0) X(12, DMA1_Stream1) X(13, DMA1_Stream2) X(14, DMA1_Stream3) \
    X(15, DMA1_Stream4) X(16, DMA1_Stream5) X(17, DMA1_Stream6) X(18, ADC) X(23, EXTI9_5) X(24, TIM1_BRK_TIM9) \
    X(25, TIM1_UP_TIM10) X(26, TIM1_TRG_COM_TIM11) X(27, TIM1_CC) X(28, TIM2) X(29, TIM3) X(30, TIM4) X(31, I2C1_EV) \
    X(32, I2C1_ER) X(33, I2C2_EV) X(34, I2C2_ER) X(35, SPI1) X(36, SPI2) X(37, USART1) X(38, USART2) \
    X(40, EXTI15_10) X(41, RTC_Alarm) X(42, OTG_FS_WKUP) X(47, DMA1_Stream7) X(49, SDIO) X(50, TIM5) X(51, SPI3) \
    X(56, DMA2_Stream0) X(57, DMA2_Stream1) X(58, DMA2_Stream2) X(59, DMA2_Stream3) X(60, DMA2_Stream4) \
    X(67, OTG_FS) X(68, DMA2_Stream5) X(69, DMA2_Stream6) X(70, DMA2_Stream7) X(71, USART6) X(72, I2C3_EV) \
    X(73, I2C3_ER) X(81, FPU) X(84, SPI4) X(85, SPI5)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 86] = {
    SYSTEM_VECTORS(Fpu_Reset_Handler),
    INTERRUPTS(ENTRY)
};
