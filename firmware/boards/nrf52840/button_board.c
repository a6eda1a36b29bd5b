/* Sets the button program's hardware up. */
#include "button_board.h"

#include "button_mode.h"
#include "nvic.h"

#define GPIOTE_INTENSET REG32(0x40006304u)
#define GPIOTE_CONFIG0 REG32(0x40006510u)
#define GPIOTE_CONFIG_MODE_EVENT (1u << 0)
#define GPIOTE_CONFIG_PSEL(pin) ((pin) << 8) /* of P0 */
#define GPIOTE_CONFIG_POLARITY_TOGGLE (3u << 16)

static void output(uint32_t pin) {
    GPIO_OUTCLR(P1) = 1u << pin;
    GPIO_DIRSET(P1) = 1u << pin;
}

void button_board_init(void) {
    output(LED_PIN);
    output(A_PIN);
    output(B_PIN);
    GPIO_PIN_CNF(P0, BUTTON_PIN) = GPIO_PIN_CNF_INPUT_PULLED_UP;

    GPIOTE_CONFIG0 =
        GPIOTE_CONFIG_MODE_EVENT | GPIOTE_CONFIG_PSEL(BUTTON_PIN) | GPIOTE_CONFIG_POLARITY_TOGGLE;
    button_acknowledge(); /* the pull-up may have made an edge */
    GPIOTE_INTENSET = 1u << 0;
    nvic_enable(BUTTON_IRQ, BUTTON_PRIORITY);

#if SERIAL == SERIAL_BY_INTERRUPT
    nvic_enable(SERIAL_IRQ, SERIAL_PRIORITY);
#elif SERIAL == SERIAL_BY_DMA
    /* The same port, with EasyDMA. */
    UART0_ENABLE = UART_ENABLE_DISABLED;
    UART0_BAUDRATE = UARTE_BAUDRATE_115200;
    UART0_ENABLE = UART_ENABLE_UARTE;
    UARTE0_EVENTS_ENDTX = 0;
    UART0_INTENSET = UARTE_INTEN_ENDTX;
    nvic_enable(SERIAL_IRQ, SERIAL_PRIORITY);
#endif
    nvic_enable(TICK_IRQ, TICK_PRIORITY);
}
