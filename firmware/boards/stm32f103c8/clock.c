#include "stm32_tim3.h"
#include "stm32f103.h"

void board_clock_start(void) {
    RCC_APB1ENR |= RCC_APB1ENR_TIM3EN;
    (void)RCC_APB1ENR;
    tim3_start(STM32F103_TIM3_HZ);
}
