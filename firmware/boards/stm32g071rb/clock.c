#include "stm32g071.h"
#include "stm32_tim3.h"

void board_clock_start(void) {
    RCC_APBENR1 |= RCC_APBENR1_TIM3EN;
    (void)RCC_APBENR1;
    tim3_start(STM32G071_HCLK_HZ);
}
