/* The button program as FreeRTOS tasks; README.md says where T1 to T4 stand. */
#include <stdatomic.h>
#include <stdio.h>

#include "FreeRTOS.h"
#include "board.h"
#include "nvic.h"
#include "probe.h"
#include "queue.h"
#include "task.h"

#define MESSAGES 8
#define MESSAGE_BYTES 24
#define LED_PHASE pdMS_TO_TICKS(100)

/** The more urgent, the higher; idle is 0. */
#define LED_PRIORITY 1
#define SERIAL_TASK_PRIORITY 2
#define BUTTON_TASK_PRIORITY 3

/** Words of stack, each with a kernel's context of 17 (51 had it used an FPU) and, on Armv7-M, what the handler's frame
 *  takes. snprintf is what makes the button's the largest. */
#define LED_STACK_WORDS 96
#define SERIAL_STACK_WORDS 96
#define BUTTON_STACK_WORDS 192

struct message {
    char text[MESSAGE_BYTES];
};

static StackType_t led_stack[LED_STACK_WORDS];
static StackType_t serial_stack[SERIAL_STACK_WORDS];
static StackType_t button_stack[BUTTON_STACK_WORDS];
static StaticTask_t led_tcb, serial_tcb, button_tcb;
static TaskHandle_t serial, button;

static uint8_t messages_storage[MESSAGES * sizeof(struct message)];
static StaticQueue_t messages_queue;
static QueueHandle_t messages;

static atomic_bool up = true;

/* ---- LED ---- */

static void led_task(void *parameters) {
    (void)parameters;
    TickType_t turn = xTaskGetTickCount();

    for (;;) {
        if (atomic_load(&up)) {
            led_on();
        }
        vTaskDelayUntil(&turn, LED_PHASE);
        led_off();
        vTaskDelayUntil(&turn, LED_PHASE);
    }
}

/* ---- Button ---- */

void Button_Handler(void);
void Button_Handler(void) {
    BaseType_t woken = pdFALSE;

    T1_HANDLER_BEGINS();
    button_acknowledge();
    vTaskNotifyGiveFromISR(button, &woken);
    portYIELD_FROM_ISR(woken);
    T2_HANDLER_ENDS();
}

/* Never copied, because of the labels. */
static __attribute__((noinline, noclone)) void button_task(void *parameters) {
    (void)parameters;
    unsigned long changes = 0;

    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        T3_TASK_RUNS();
        struct message message;
        bool level = button_is_up();
        atomic_store(&up, level);
        changes += 1;
        (void)snprintf(message.text, sizeof message.text, "Button is %u (%lu)\n", level, changes);
        (void)xQueueSend(messages, &message, portMAX_DELAY);
        T4_TASK_WAITS();
    }
}

/* ---- Serial ---- */

#if SERIAL == SERIAL_BY_INTERRUPT

/* What is left of the message; the task writes it while the interrupt is off. */
static const char *volatile next;

void Serial_Handler(void);
void Serial_Handler(void) {
    const char *at = next;

    serial_put(*at);
    at += 1;
    next = at;
    if (*at == '\0') {
        BaseType_t woken = pdFALSE;

        serial_ask_no_more();
        vTaskNotifyGiveFromISR(serial, &woken);
        portYIELD_FROM_ISR(woken);
    }
}

static void serial_send(const char *text) {
    next = text;
    serial_ask();
    (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
}

#elif SERIAL == SERIAL_BY_DMA

#include <string.h>

void SerialDma_Handler(void);
void SerialDma_Handler(void) {
    BaseType_t woken = pdFALSE;

    serial_dma_acknowledge();
    vTaskNotifyGiveFromISR(serial, &woken);
    portYIELD_FROM_ISR(woken);
}

static void serial_send(const char *text) {
    serial_dma_send(text, strlen(text));
    (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
}

#else

static void serial_send(const char *text) {
    for (; *text != '\0'; text += 1) {
        while (!serial_is_ready()) {
        }
        serial_put(*text);
    }
}

#endif

static void serial_task(void *parameters) {
    (void)parameters;

    for (;;) {
        struct message message;

        (void)xQueueReceive(messages, &message, portMAX_DELAY);
        serial_send(message.text);
    }
}

/* ---- Start ---- */

void vApplicationIdleHook(void);
void vApplicationIdleHook(void) { wait_for_interrupt(); }

int main(void) {
    board_init();
    messages = xQueueCreateStatic(MESSAGES, sizeof(struct message), messages_storage, &messages_queue);
    (void)xTaskCreateStatic(led_task, "led", LED_STACK_WORDS, 0, LED_PRIORITY, led_stack, &led_tcb);
    serial = xTaskCreateStatic(serial_task, "serial", SERIAL_STACK_WORDS, 0, SERIAL_TASK_PRIORITY, serial_stack,
                               &serial_tcb);
    button = xTaskCreateStatic(button_task, "button", BUTTON_STACK_WORDS, 0, BUTTON_TASK_PRIORITY, button_stack,
                               &button_tcb);
    button_board_init();
    vTaskStartScheduler();
    return 0;
}
