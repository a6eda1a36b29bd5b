#include "stm32g431.h"
#include "stm32_tim3.h"

void board_clock_start(void) {
    RCC_APB1ENR1 |= RCC_APB1ENR1_TIM3EN;
    (void)RCC_APB1ENR1;
    tim3_start(STM32G431_HCLK_HZ);
}
