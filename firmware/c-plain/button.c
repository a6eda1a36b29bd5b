/* The button program without a runtime: handlers that flag, and a super-loop that sleeps while no flag is up; README.md
 * says where T1 to T4 stand. */
#include <stdatomic.h>
#include <stdio.h>

#include "board.h"
#include "button_tick.h"
#include "probe.h"

#define MESSAGES 8u
#define MESSAGE_BYTES 24
#define LED_PHASE_MS 100u

struct message {
    uint8_t length;
    char text[MESSAGE_BYTES];
};

/* Handlers write these, the loop clears or reads them. */
static volatile bool edge;
static volatile uint32_t milliseconds;

/* The queue: the loop moves `put`, whoever has sent a message moves `sent`. Both count for ever. */
static struct message queue[MESSAGES];
static volatile uint32_t put, sent;

static atomic_bool up = true;

void Button_Handler(void);
void Button_Handler(void) {
    T1_HANDLER_BEGINS();
    button_acknowledge();
    edge = true;
    T2_HANDLER_ENDS();
}

void Tick_Handler(void);
void Tick_Handler(void) {
    tick_acknowledge();
    milliseconds += 1;
}

/* ---- LED ---- */

static uint32_t led_next;
static bool led_phase;

static bool led_waits(void) { return (int32_t)(milliseconds - led_next) < 0; }

static void led_step(void) {
    if (led_waits()) {
        return;
    }
    led_next += LED_PHASE_MS;
    led_phase = !led_phase;
    if (led_phase && atomic_load(&up)) {
        led_on();
    } else {
        led_off();
    }
}

/* ---- Button ---- */

/* A full queue makes the button wait, as it would make a task wait. */
static bool button_waits(void) { return !edge || put - sent == MESSAGES; }

/* Never copied, because of the labels; never inlined, so that T3 is the first thing done for the button. */
static __attribute__((noinline, noclone)) void button_turn(void) {
    static uint32_t changes;

    T3_TASK_RUNS();
    edge = false; /* before the level is read: an edge from here on asks for another turn */
    bool level = button_is_up();
    atomic_store(&up, level);
    changes += 1;
    struct message *message = &queue[put % MESSAGES];
    int length = snprintf(message->text, MESSAGE_BYTES, "Button is %u (%lu)\n", level, (unsigned long)changes);
    message->length = (uint8_t)(length < MESSAGE_BYTES ? length : MESSAGE_BYTES - 1);
    put += 1;
    T4_TASK_WAITS();
}

static void button_step(void) {
    if (!button_waits()) {
        button_turn();
    }
}

/* ---- Serial ---- */

static volatile bool sending;

static bool serial_waits(void) { return sending || put == sent; }

#if SERIAL == SERIAL_BY_INTERRUPT

static volatile uint32_t at;

void Serial_Handler(void);
void Serial_Handler(void) {
    const struct message *message = &queue[sent % MESSAGES];

    serial_put(message->text[at]);
    at += 1;
    if (at == message->length) {
        serial_ask_no_more();
        sent += 1;
        sending = false;
    }
}

static void serial_send(void) {
    at = 0;
    sending = true;
    serial_ask();
}

#elif SERIAL == SERIAL_BY_DMA

void SerialDma_Handler(void);
void SerialDma_Handler(void) {
    serial_dma_acknowledge();
    sent += 1;
    sending = false;
}

static void serial_send(void) {
    const struct message *message = &queue[sent % MESSAGES];

    sending = true;
    serial_dma_send(message->text, message->length);
}

#else

static void serial_send(void) {
    const struct message *message = &queue[sent % MESSAGES];

    for (uint32_t at = 0; at < message->length; at += 1) {
        while (!serial_is_ready()) {
        }
        serial_put(message->text[at]);
    }
    sent += 1;
}

#endif

static void serial_step(void) {
    if (!serial_waits()) {
        serial_send();
    }
}

/* ---- The loop ---- */

int main(void) {
    board_init();
    button_board_init();
    tick_start(1000u);

    for (;;) {
        led_step();
        button_step();
        serial_step();

        /* Masked interrupts still end WFI, so that one between the question and WFI is not slept over. */
        irq_mask();
        if (led_waits() && button_waits() && serial_waits()) {
            wait_for_interrupt();
        }
        irq_unmask();
    }
}
