/* Sets the button program's hardware up; the board's `button_board.h` says which. */
#include "button_board.h"

#include "button_mode.h"
#include "nvic.h"

void button_board_init(void) {
    button_clocks_on();
    gpio_output(LED_PORT, LED_PIN);
    gpio_output(A_PORT, A_PIN);
    gpio_output(B_PORT, B_PIN);
    gpio_input_up(BUTTON_PORT, BUTTON_PIN);

    button_line_from(BUTTON_PORT_NUMBER);
    EXTI_RTSR1 |= 1u << BUTTON_PIN;
    EXTI_FTSR1 |= 1u << BUTTON_PIN;
    button_acknowledge(); /* the pull-up may have made an edge */
    EXTI_IMR1 |= 1u << BUTTON_PIN;
    nvic_enable(BUTTON_IRQ, BUTTON_PRIORITY);

#if SERIAL == SERIAL_BY_INTERRUPT
    nvic_enable(SERIAL_IRQ, SERIAL_PRIORITY);
#elif SERIAL == SERIAL_BY_DMA
    serial_dma_clock_on();
    serial_dma_to((uint32_t)&SERIAL_DATA);
    SERIAL_CR3 |= SERIAL_CR3_DMAT;
    nvic_enable(SERIAL_DMA_IRQ, SERIAL_PRIORITY);
#endif
}
