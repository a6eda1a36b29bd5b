#include "stm32_tim3.h"
#include "stm32f446.h"

void board_clock_start(void) {
    RCC_APB1ENR |= RCC_APB1ENR_TIM3EN;
    (void)RCC_APB1ENR;
    tim3_start(STM32F446_TIM3_HZ);
}
