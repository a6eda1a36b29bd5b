#include "stm32f411.h"
#include "stm32_tim3.h"

void board_clock_start(void) {
    RCC_APB1ENR |= RCC_APB1ENR_TIM3EN;
    (void)RCC_APB1ENR;
    tim3_start(STM32F411_TIM3_HZ);
}
