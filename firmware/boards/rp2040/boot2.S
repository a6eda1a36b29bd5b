/* Second stage of the RP2040's start: the ROM copies the first 256 bytes of flash to RAM, checks the last word and enters here
 * (RP-008371-DS, "Flash Second Stage"). It has the W25Q16JV of the Pico read four bits at a time, continuously, so that a read
 * through the XIP window sends an address and no command; then it starts the program behind it. C and Rust programs have it alike.
 *
 * clk_sys over 2 is the flash's clock: 62.5 MHz at 125 MHz. A word takes 8 clocks for address and mode, 4 dummies and 8 of data. */
    .syntax unified
    .thumb
    .section .boot2, "ax"
    .balign 4

/* PADS_QSPI, from its base on. */
    .equ SCLK, 0x04
    .equ SD0, 0x08
    .equ SD1, 0x0c
    .equ SD2, 0x10
    .equ SD3, 0x14
/* SSI, from its base on; the last two lie beyond what an immediate offset reaches. */
    .equ CTRLR0, 0x00
    .equ CTRLR1, 0x04
    .equ SSIENR, 0x08
    .equ BAUDR, 0x14
    .equ SR, 0x28
    .equ DR0, 0x60
    .equ RX_SAMPLE_DLY, 0xf0
    .equ SPI_CTRLR0, 0xf4
/* The flash's instructions (W25Q16JV). */
    .equ WRITE_STATUS, 0x01
    .equ READ_STATUS_1, 0x05
    .equ WRITE_ENABLE, 0x06
    .equ READ_STATUS_2, 0x35
    .equ QUAD_READ, 0xeb
    .equ CONTINUOUS, 0xa0

    .global cyclescope_boot2
cyclescope_boot2:
    /* 8 mA and fast edges for the clock; no Schmitt triggers on the data, whose delay a read would see. */
    ldr r3, pads
    movs r0, #0x21
    str r0, [r3, #SCLK]
    ldr r0, [r3, #SD0]
    movs r1, #2
    bics r0, r1
    str r0, [r3, #SD0]
    str r0, [r3, #SD1]
    str r0, [r3, #SD2]
    str r0, [r3, #SD3]

    /* Bytes over one line, to set the flash chip's bit QE where it is not set yet; it keeps it. For each that goes out one comes
     * in and is taken from the FIFO. */
    ldr r3, ssi
    movs r4, #0
    movs r5, #1
    str r4, [r3, #SSIENR]
    movs r0, #2
    str r0, [r3, #BAUDR]
    movs r1, #RX_SAMPLE_DLY
    str r5, [r3, r1]
    ldr r0, bytes
    str r0, [r3, #CTRLR0]
    str r5, [r3, #SSIENR]
    movs r0, #READ_STATUS_2
    bl status
    movs r1, #2
    tst r0, r1
    bne 3f
    movs r0, #WRITE_ENABLE
    str r0, [r3, #DR0]
    bl idle
    ldr r0, [r3, #DR0]
    movs r0, #WRITE_STATUS
    str r0, [r3, #DR0]
    str r4, [r3, #DR0]
    str r1, [r3, #DR0]
    bl idle
    ldr r0, [r3, #DR0]
    ldr r0, [r3, #DR0]
    ldr r0, [r3, #DR0]
2:  movs r0, #READ_STATUS_1
    bl status
    lsrs r0, r0, #1
    bcs 2b
3:  str r4, [r3, #SSIENR]

    /* The first read has its instruction, and a mode byte that says that the next will have none. */
    ldr r0, words
    str r0, [r3, #CTRLR0]
    str r4, [r3, #CTRLR1]
    movs r1, #SPI_CTRLR0
    ldr r0, with_instruction
    str r0, [r3, r1]
    str r5, [r3, #SSIENR]
    movs r0, #QUAD_READ
    str r0, [r3, #DR0]
    movs r0, #CONTINUOUS
    str r0, [r3, #DR0]
    bl idle
    str r4, [r3, #SSIENR]
    ldr r0, without_instruction
    str r0, [r3, r1]
    str r5, [r3, #SSIENR]

    ldr r0, program
    ldr r1, vtor
    str r0, [r1]
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2

/* Returns the status register that the instruction r0 reads; uses r2. */
status:
    mov r6, lr
    str r0, [r3, #DR0]
    str r0, [r3, #DR0]
    bl idle
    mov lr, r6
    ldr r0, [r3, #DR0]
    ldr r0, [r3, #DR0]
    bx lr

/* Waits until all is sent: SR.TFE set, SR.BUSY clear; uses r2. */
idle:
    ldr r2, [r3, #SR]
    lsrs r2, r2, #1
    bcs idle
    lsrs r2, r2, #2
    bcc idle
    bx lr

    .balign 4
pads:
    .word 0x40020000
ssi:
    .word 0x18000000
/* CTRLR0: frames of 8 bits, sent and received. */
bytes:
    .word 7 << 16
/* CTRLR0: four lines, frames of 32 bits, received after a command. */
words:
    .word 2 << 21 | 31 << 16 | 3 << 8
/* SPI_CTRLR0: 4 dummies, an instruction of 8 bits on one line, an address of 32 with the mode byte on four. */
with_instruction:
    .word 4 << 11 | 2 << 8 | 8 << 2 | 1
/* SPI_CTRLR0: the mode byte appended to the address, 4 dummies, no instruction. */
without_instruction:
    .word CONTINUOUS << 24 | 4 << 11 | 8 << 2 | 2
program:
    .word 0x10000100
vtor:
    .word 0xe000ed08

/* CRC-32 of all before it, most significant bit first, as the ROM counts it. */
    .org 252
    .word 0xfd477e57
    .size cyclescope_boot2, . - cyclescope_boot2
