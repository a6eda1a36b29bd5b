/* The vector table of the medium-density STM32F103 (RM0008, "Interrupt and exception vectors"). Every handler is weak,
 * so that a program takes an interrupt by defining the function. */
#include "armv7m_vectors.h"

/* Number and name of each interrupt; the gaps are reserved on this part. */
#define INTERRUPTS(X) \
    X(0, WWDG) X(1, PVD) X(2, TAMPER) X(3, RTC) X(4, FLASH) X(5, RCC) X(6, EXTI0) X(7, EXTI1) X(8, EXTI2) \
    X(9, EXTI3) X(10, EXTI4) X(11, DMA1_Channel1) X(12, DMA1_Channel2) X(13, DMA1_Channel3) X(14, DMA1_Channel4) \
    X(15, DMA1_Channel5) X(16, DMA1_Channel6) X(17, DMA1_Channel7) X(18, ADC1_2) X(19, USB_HP_CAN1_TX) \
    X(20, USB_LP_CAN1_RX0) X(21, CAN1_RX1) X(22, CAN1_SCE) X(23, EXTI9_5) X(24, TIM1_BRK) X(25, TIM1_UP) \
    X(26, TIM1_TRG_COM) X(27, TIM1_CC) X(28, TIM2) X(29, TIM3) X(30, TIM4) X(31, I2C1_EV) X(32, I2C1_ER) \
    X(33, I2C2_EV) X(34, I2C2_ER) X(35, SPI1) X(36, SPI2) X(37, USART1) X(38, USART2) X(39, USART3) X(40, EXTI15_10) \
    X(41, RTC_Alarm) X(42, USBWAKEUP)

#define DECLARE(number, name) HANDLER(name##_IRQHandler);
#define ENTRY(number, name) [16 + number] = name##_IRQHandler,

INTERRUPTS(DECLARE)

__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 43] = {
    SYSTEM_VECTORS(Reset_Handler),
    INTERRUPTS(ENTRY)
};
