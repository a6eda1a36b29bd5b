#include "button_board.h"

#include "button_mode.h"
#include "nvic.h"
#include "stm32f446.h"

#define RCC_AHB1ENR_GPIOBEN (1u << 1)
#define RCC_AHB1ENR_GPIOCEN (1u << 2)
#define RCC_AHB1ENR_GPIOGEN (1u << 6)
#define RCC_AHB1ENR_DMA1EN (1u << 21)
#define RCC_APB2ENR REG32(0x40023844u)
#define RCC_APB2ENR_SYSCFGEN (1u << 14)
#define SYSCFG_EXTICR4 REG32(0x40013814u)
#define SYSCFG_EXTICR4_EXTI13(port) ((port) << 4) /* 0 is port A */

void button_board_init(void) {
    RCC_AHB1ENR |= RCC_AHB1ENR_GPIOBEN | RCC_AHB1ENR_GPIOCEN | RCC_AHB1ENR_GPIOGEN;
    RCC_APB2ENR |= RCC_APB2ENR_SYSCFGEN;
    (void)RCC_APB2ENR;
    gpio_output(GPIOB, 0);
    gpio_output(GPIOG, 0);
    gpio_output(GPIOG, 1);
    gpio_input_up(GPIOC, BUTTON_PIN);

    SYSCFG_EXTICR4 = (SYSCFG_EXTICR4 & ~SYSCFG_EXTICR4_EXTI13(15u)) | SYSCFG_EXTICR4_EXTI13(2u);
    EXTI_RTSR |= 1u << BUTTON_PIN;
    EXTI_FTSR |= 1u << BUTTON_PIN;
    EXTI_PR = 1u << BUTTON_PIN; /* the pull-up may have made an edge */
    EXTI_IMR |= 1u << BUTTON_PIN;
    nvic_enable(BUTTON_IRQ, BUTTON_PRIORITY);

#if SERIAL == SERIAL_BY_INTERRUPT
    nvic_enable(SERIAL_IRQ, SERIAL_PRIORITY);
#elif SERIAL == SERIAL_BY_DMA
    RCC_AHB1ENR |= RCC_AHB1ENR_DMA1EN;
    (void)RCC_AHB1ENR;
    DMA1_S3PAR = (uint32_t)&USART3_DR;
    USART3_CR3 |= USART_CR3_DMAT;
    nvic_enable(SERIAL_DMA_IRQ, SERIAL_PRIORITY);
#endif
}
