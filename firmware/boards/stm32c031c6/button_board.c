#include "button_board.h"

#include "button_mode.h"
#include "nvic.h"

#define RCC_IOPENR REG32(0x40021034u)
#define RCC_IOPENR_GPIOAEN (1u << 0)
#define RCC_IOPENR_GPIOCEN (1u << 2)
#define RCC_AHBENR REG32(0x40021038u)
#define RCC_AHBENR_DMA1EN (1u << 0)
#define DMAMUX1_C0CR REG32(0x40020800u)
#define DMAMUX_USART2_TX 53u /* RM0490, "DMAMUX: assignment of multiplexer inputs to resources" */

void button_board_init(void) {
    RCC_IOPENR |= RCC_IOPENR_GPIOAEN | RCC_IOPENR_GPIOCEN;
    (void)RCC_IOPENR; /* RM0490: two clock cycles between the enable bit and the first access; a read takes them */
    gpio_output(GPIOA, 5);
    gpio_output(GPIOA, 0);
    gpio_output(GPIOA, 1);
    gpio_input_up(GPIOC, BUTTON_PIN);

    EXTI_EXTICR4 = (EXTI_EXTICR4 & ~EXTI_EXTICR4_EXTI13(0xFFu)) | EXTI_EXTICR4_EXTI13(2u);
    EXTI_RTSR1 |= 1u << BUTTON_PIN;
    EXTI_FTSR1 |= 1u << BUTTON_PIN;
    button_acknowledge(); /* the pull-up may have made an edge */
    EXTI_IMR1 |= 1u << BUTTON_PIN;
    nvic_enable(BUTTON_IRQ, BUTTON_PRIORITY);

#if SERIAL == SERIAL_BY_INTERRUPT
    nvic_enable(SERIAL_IRQ, SERIAL_PRIORITY);
#elif SERIAL == SERIAL_BY_DMA
    RCC_AHBENR |= RCC_AHBENR_DMA1EN;
    (void)RCC_AHBENR;
    DMAMUX1_C0CR = DMAMUX_USART2_TX;
    DMA1_CPAR1 = (uint32_t)&USART2_TDR;
    USART2_CR3 |= USART_CR3_DMAT;
    nvic_enable(SERIAL_DMA_IRQ, SERIAL_PRIORITY);
#endif
}
