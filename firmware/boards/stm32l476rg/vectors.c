/* The vector table of the STM32L476 (RM0351, "Nested vectored interrupt controller", table of vectors). Every handler
 * is weak, so that a program takes an interrupt by defining the function. */
#include "armv7m_vectors.h"
#include "fpu.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, WWDG) X(1, PVD_PVM) X(2, TAMP_STAMP) X(3, RTC_WKUP) X(4, FLASH) X(5, RCC) X(6, EXTI0) X(7, EXTI1) \
    X(8, EXTI2) X(9, EXTI3) X(10, EXTI4) X(11, DMA1_Channel1) X(12, DMA1_Channel2) X(13, DMA1_Channel3) \
    X(14, DMA1_Channel4) X(15, DMA1_Channel5) X(16, DMA1_Channel6) X(17, DMA1_Channel7) X(18, ADC1_2) X(19, CAN1_TX) \
    X(20, CAN1_RX0) X(21, CAN1_RX1) X(22, CAN1_SCE) X(23, EXTI9_5) X(24, TIM1_BRK_TIM15) X(25, TIM1_UP_TIM16) \
    X(26, TIM1_TRG_COM_TIM17) X(27, TIM1_CC) X(28, TIM2) X(29, TIM3) X(30, TIM4) X(31, I2C1_EV) X(32, I2C1_ER) \
    X(33, I2C2_EV) X(34, I2C2_ER) X(35, SPI1) X(36, SPI2) X(37, USART1) X(38, USART2) X(39, USART3) X(40, EXTI15_10) \
    X(41, RTC_Alarm) X(42, DFSDM1_FLT3) X(43, TIM8_BRK) X(44, TIM8_UP) X(45, TIM8_TRG_COM) X(46, TIM8_CC) \
    X(47, ADC3) X(48, FMC) X(49, SDMMC1) X(50, TIM5) X(51, SPI3) X(52, UART4) X(53, UART5) X(54, TIM6_DAC) \
    X(55, TIM7) X(56, DMA2_Channel1) X(57, DMA2_Channel2) X(58, DMA2_Channel3) X(59, DMA2_Channel4) \
    X(60, DMA2_Channel5) X(61, DFSDM1_FLT0) X(62, DFSDM1_FLT1) X(63, DFSDM1_FLT2) X(64, COMP) X(65, LPTIM1) \
    X(66, LPTIM2) X(67, OTG_FS) X(68, DMA2_Channel6) X(69, DMA2_Channel7) X(70, LPUART1) X(71, QUADSPI) \
    X(72, I2C3_EV) X(73, I2C3_ER) X(74, SAI1) X(75, SAI2) X(76, SWPMI1) X(77, TSC) X(78, LCD) X(80, RNG) X(81, FPU)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 82] = {
    SYSTEM_VECTORS(Fpu_Reset_Handler),
    INTERRUPTS(ENTRY)
};
