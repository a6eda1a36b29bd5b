/* The vector table of the STM32C031 (RM0490, "Nested vectored interrupt controller", table of vectors). Every handler
 * is weak, so that a program takes an interrupt by defining the function. */
#include <stdint.h>

extern uint32_t _estack[];
void Reset_Handler(void);
void Default_Handler(void);

#define HANDLER(name) void name(void) __attribute__((weak, alias("Weak_Handler")))

/* An alias must stand in the same translation unit as its target. */
void Weak_Handler(void) { Default_Handler(); }

HANDLER(NMI_Handler);
HANDLER(HardFault_Handler);
HANDLER(SVC_Handler);
HANDLER(PendSV_Handler);
HANDLER(SysTick_Handler);
HANDLER(WWDG_IRQHandler);
HANDLER(RTC_IRQHandler);
HANDLER(FLASH_IRQHandler);
HANDLER(RCC_IRQHandler);
HANDLER(EXTI0_1_IRQHandler);
HANDLER(EXTI2_3_IRQHandler);
HANDLER(EXTI4_15_IRQHandler);
HANDLER(DMA1_Channel1_IRQHandler);
HANDLER(DMA1_Channel2_3_IRQHandler);
HANDLER(DMAMUX1_IRQHandler);
HANDLER(ADC1_IRQHandler);
HANDLER(TIM1_BRK_UP_TRG_COM_IRQHandler);
HANDLER(TIM1_CC_IRQHandler);
HANDLER(TIM3_IRQHandler);
HANDLER(TIM14_IRQHandler);
HANDLER(TIM16_IRQHandler);
HANDLER(TIM17_IRQHandler);
HANDLER(I2C1_IRQHandler);
HANDLER(SPI1_IRQHandler);
HANDLER(USART1_IRQHandler);
HANDLER(USART2_IRQHandler);

typedef void (*vector)(void);

/* The 16 system vectors, then interrupt n at index 16 + n; the gaps are reserved on this part. */
__attribute__((section(".isr_vector"), used)) static const vector vectors[16 + 32] = {
    [0] = (vector)_estack,
    [1] = Reset_Handler,
    [2] = NMI_Handler,
    [3] = HardFault_Handler,
    [11] = SVC_Handler,
    [14] = PendSV_Handler,
    [15] = SysTick_Handler,
    [16 + 0] = WWDG_IRQHandler,
    [16 + 2] = RTC_IRQHandler,
    [16 + 3] = FLASH_IRQHandler,
    [16 + 4] = RCC_IRQHandler,
    [16 + 5] = EXTI0_1_IRQHandler,
    [16 + 6] = EXTI2_3_IRQHandler,
    [16 + 7] = EXTI4_15_IRQHandler,
    [16 + 9] = DMA1_Channel1_IRQHandler,
    [16 + 10] = DMA1_Channel2_3_IRQHandler,
    [16 + 11] = DMAMUX1_IRQHandler,
    [16 + 12] = ADC1_IRQHandler,
    [16 + 13] = TIM1_BRK_UP_TRG_COM_IRQHandler,
    [16 + 14] = TIM1_CC_IRQHandler,
    [16 + 16] = TIM3_IRQHandler,
    [16 + 19] = TIM14_IRQHandler,
    [16 + 21] = TIM16_IRQHandler,
    [16 + 22] = TIM17_IRQHandler,
    [16 + 23] = I2C1_IRQHandler,
    [16 + 25] = SPI1_IRQHandler,
    [16 + 27] = USART1_IRQHandler,
    [16 + 28] = USART2_IRQHandler,
};
