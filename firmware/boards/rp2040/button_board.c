/* Sets the button program's hardware up. */
#include "button_board.h"

#include "button_mode.h"
#include "nvic.h"

static void output(uint32_t pin) {
    SIO_GPIO_OUT_CLR = 1u << pin;
    SIO_GPIO_OE_SET = 1u << pin;
    IO_BANK0_CTRL(pin) = FUNCTION_SIO;
}

void button_board_init(void) {
    output(LED_PIN);
    output(A_PIN);
    output(B_PIN);
    PADS_BANK0(BUTTON_PIN) = PAD_INPUT | PAD_4MA | PAD_PULL_UP | PAD_SCHMITT;
    IO_BANK0_CTRL(BUTTON_PIN) = FUNCTION_SIO;

    button_acknowledge(); /* the pull-up may have made an edge */
    IO_BANK0_PROC0_INTE(BUTTON_PIN) = BOTH_EDGES(BUTTON_PIN);
    nvic_enable(BUTTON_IRQ, BUTTON_PRIORITY);

#if SERIAL == SERIAL_BY_INTERRUPT
    nvic_enable(SERIAL_IRQ, SERIAL_PRIORITY);
#elif SERIAL == SERIAL_BY_DMA
    unreset(RESET_DMA);
    UART0_DMACR = UART_DMACR_TXDMAE;
    DMA_INTE0 = 1u << 0;
    nvic_enable(SERIAL_DMA_IRQ, SERIAL_PRIORITY);
#endif
}
