/* The vector table of the STM32G431 (RM0440, "Nested vectored interrupt controller", table of vectors). Every handler
 * is weak, so that a program takes an interrupt by defining the function. */
#include "armv7m_vectors.h"
#include "fpu.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, WWDG) X(1, PVD_PVM) X(2, RTC_TAMP_LSECSS) X(3, RTC_WKUP) X(4, FLASH) X(5, RCC) X(6, EXTI0) X(7, EXTI1) \
    X(8, EXTI2) X(9, EXTI3) X(10, EXTI4) X(11, DMA1_Channel1) X(12, DMA1_Channel2) X(13, DMA1_Channel3) \
    X(14, DMA1_Channel4) X(15, DMA1_Channel5) X(16, DMA1_Channel6) X(18, ADC1_2) X(19, USB_HP) X(20, USB_LP) \
    X(21, FDCAN1_IT0) X(22, FDCAN1_IT1) X(23, EXTI9_5) X(24, TIM1_BRK_TIM15) X(25, TIM1_UP_TIM16) \
    X(26, TIM1_TRG_COM_TIM17) X(27, TIM1_CC) X(28, TIM2) X(29, TIM3) X(30, TIM4) X(31, I2C1_EV) X(32, I2C1_ER) \
    X(33, I2C2_EV) X(34, I2C2_ER) X(35, SPI1) X(36, SPI2) X(37, USART1) X(38, USART2) X(39, USART3) X(40, EXTI15_10) \
    X(41, RTC_Alarm) X(42, USBWAKEUP) X(43, TIM8_BRK) X(44, TIM8_UP) X(45, TIM8_TRG_COM) X(46, TIM8_CC) \
    X(49, LPTIM1) X(51, SPI3) X(52, UART4) X(54, TIM6_DAC) X(55, TIM7) X(56, DMA2_Channel1) X(57, DMA2_Channel2) \
    X(58, DMA2_Channel3) X(59, DMA2_Channel4) X(60, DMA2_Channel5) X(63, UCPD1) X(64, COMP1_2_3) X(65, COMP4) \
    X(75, CRS) X(76, SAI1) X(81, FPU) X(90, RNG) X(91, LPUART1) X(92, I2C3_EV) X(93, I2C3_ER) X(94, DMAMUX_OVR) \
    X(97, DMA2_Channel6) X(100, CORDIC) X(101, FMAC)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 102] = {
    SYSTEM_VECTORS(Fpu_Reset_Handler),
    INTERRUPTS(ENTRY)
};
