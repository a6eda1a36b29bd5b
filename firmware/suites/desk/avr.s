; Echoes what comes to USART0 of an ATmega328P. r: reset by the watchdog, w: sleep.

    .equ UCSR0A, 0xC0
    .equ UCSR0B, 0xC1
    .equ UBRR0L, 0xC4
    .equ UDR0, 0xC6
    .equ WDTCSR, 0x60
start:
    wdr
    clr r16
    in r17, 0x34                ; MCUSR: shown as a digit
    out 0x34, r16
    ldi r18, 0x18               ; WDCE, WDE
    sts WDTCSR, r18
    sts WDTCSR, r16
    ldi r16, 8                  ; 115,200 baud of 16 MHz
    sts UBRR0L, r16
    ldi r16, 0x18               ; RXEN0, TXEN0
    sts UCSR0B, r16
    subi r17, -'0'
    rcall put
    ldi r17, '>'
    rcall put
poll:
    lds r16, UCSR0A
    sbrs r16, 7                 ; RXC0
    rjmp poll
    lds r17, UDR0
    cpi r17, 'r'
    breq reset
    cpi r17, 'w'
    breq sleep
    rcall put
    rjmp poll
put:
    lds r16, UCSR0A
    sbrs r16, 5                 ; UDRE0
    rjmp put
    sts UDR0, r17
    ret
reset:                          ; by the watchdog, in 16 ms
    ldi r16, 0x18
    sts WDTCSR, r16
    ldi r16, 0x08
    sts WDTCSR, r16
1:  rjmp 1b
sleep:
    ldi r16, 1                  ; SE
    out 0x33, r16
    cli
    sleep
    rjmp sleep
