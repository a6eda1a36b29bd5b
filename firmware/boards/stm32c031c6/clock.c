/* TIM3 as a millisecond counter without interrupts: the prescaler brings 48 MHz down to 1 kHz, and 16 bits of
 * milliseconds wrap after 65 s, some twenty times the longest run. */
#include "board.h"
#include "stm32c031.h"

void board_clock_start(void) {
    RCC_APBENR1 |= RCC_APBENR1_TIM3EN;
    (void)RCC_APBENR1;
    TIM3_CR1 = 0;
    TIM3_PSC = STM32C031_HCLK_HZ / BOARD_CLOCK_HZ - 1;
    TIM3_ARR = 0xFFFFu;
    TIM3_EGR = TIM_EGR_UG; /* takes the prescaler over and clears the counter */
    TIM3_SR = 0;
    TIM3_CR1 = TIM_CR1_CEN;
}

uint32_t board_clock_ticks(void) { return TIM3_CNT & 0xFFFFu; }
