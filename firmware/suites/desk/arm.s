@ Echoes what comes to USART2 of an STM32F446RE. r: reset, o: a line on each of two ports, x: exit, w: sleep,
@ i: from now on by interrupts, z: computes for long and only keeps what comes meanwhile.

    .syntax unified
    .cpu cortex-m4
    .thumb
    .word 0x20001000, start + 1
    .zero 52 * 4
    .word serial + 1            @ interrupt 38, USART2
    .thumb_func
start:
    ldr r0, =0x40023830         @ RCC_AHB1ENR: GPIOA and GPIOB
    movs r1, #3
    str r1, [r0]
    ldr r0, =0x40020000         @ PA2 and PA3 are USART2's
    ldr r1, =0xA80000A0
    str r1, [r0]
    movw r1, #0x7700
    str r1, [r0, #0x20]
    ldr r0, =0x40020400         @ PB10 is USART3's TX
    ldr r1, =0x00200280
    str r1, [r0]
    movw r1, #0x700
    str r1, [r0, #0x24]
    ldr r0, =0x40023840         @ RCC_APB1ENR: USART2 and USART3
    mov r1, #0x60000
    str r1, [r0]
    ldr r4, =0x40004400         @ USART2
    ldr r5, =0x40004800         @ USART3
    movs r0, #139               @ 115,200 baud of 16 MHz
    str r0, [r4, #8]
    str r0, [r5, #8]
    movw r0, #0x200C            @ CR1: UE, TE, RE
    str r0, [r4, #12]
    movw r0, #0x2008
    str r0, [r5, #12]
    ldr r1, =0x20000800         @ RAM: the number of starts
    ldr r0, [r1]
    adds r0, #1
    str r0, [r1]
    adds r0, #'0'
    bl put
    ldr r1, =0x40023874         @ RCC_CSR: SFTRSTF
    ldr r0, [r1]
    ubfx r0, r0, #28, #1
    adds r0, #'0'
    bl put
    movs r0, #'>'
    bl put
poll:
    ldr r1, [r4]                @ SR: RXNE
    lsls r1, r1, #26
    bpl poll
    ldr r0, [r4, #4]
    cmp r0, #'r'
    beq reset
    cmp r0, #'o'
    beq others
    cmp r0, #'x'
    beq exit
    cmp r0, #'w'
    beq sleep
    mov r8, r0
    cmp r0, #'i'
    beq interrupts
    cmp r0, #'z'
    beq interrupts
    bl put
    b poll
    .thumb_func
put:
    ldr r1, [r4]
    lsls r1, r1, #24            @ TXE
    bpl put
    str r0, [r4, #4]
    bx lr
    .thumb_func
sent:                           @ SR: TC
    ldr r1, [r4]
    lsls r1, r1, #25
    bpl sent
    bx lr
reset:
    bl sent
    ldr r0, =0xE000ED0C         @ AIRCR
    ldr r1, =0x05FA0004
    str r1, [r0]
    b .
others:                         @ a line on each port, byte by byte in turn
    adr r6, words
    movs r7, #11
1:  ldrb r0, [r6], #1
    bl put
    str r0, [r5, #4]
    subs r7, #1
    bne 1b
    b poll
exit:
    bl sent
    movs r0, #0x18
    ldr r1, =0x20026
    bkpt 0xAB
sleep:
    wfi
    b sleep
interrupts:                     @ the rest is echoed by the interrupt
    movw r0, #0x202C
    str r0, [r4, #12]
    ldr r0, =0xE000E104
    movs r1, #1 << 6
    str r1, [r0]
    cmp r8, #'i'
    beq sleep
    ldr r0, =8000000            @ 1.5 s
1:  subs r0, #1
    bne 1b
    movs r0, #'.'
    bl put
    b exit
    .thumb_func
serial:
    ldr r0, [r4, #4]
    cmp r8, #'i'
    it eq
    streq r0, [r4, #4]
    bx lr
    .balign 4
words:
    .ascii "some words\n"
    .balign 4
    .ltorg
