/* What the control registers of the USART hold after a reset. */
#include "common.h"

int main(void) {
    volatile uint8_t seen = UCSRA + UCSRB + UCSRC;
    for (;;)
        (void)seen;
}
