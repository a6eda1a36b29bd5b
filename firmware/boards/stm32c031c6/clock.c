#include "stm32c031.h"
#include "stm32_tim3.h"

void board_clock_start(void) {
    RCC_APBENR1 |= RCC_APBENR1_TIM3EN;
    (void)RCC_APBENR1;
    tim3_start(STM32C031_HCLK_HZ);
}
