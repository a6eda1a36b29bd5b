/* Boot ROM of cyclescope's RP2040: vectors, the tables by which programs find functions, and how each processor starts
 * (RP-008371-DS, "Bootrom"; the code is ours, the vendor's is not contained). */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .equ SIO_BASE, 0xd0000000
    .equ FIFO_ST, 0x50
    .equ FIFO_WR, 0x54
    .equ FIFO_RD, 0x58

    .section .vectors, "a"
    .word 0x20041f00            /* below the second stage, which is loaded there */
    .word reset
    .word stop
    .word stop
    .byte 'M', 'u', 1, 2        /* magic, layout, version */
    .hword function_table
    .hword data_table
    .hword table_lookup + 1

    .macro entry first, second, function
    .byte \first, \second
    .hword \function
    .endm

    .section .rodata.tables, "a"
    .balign 4
function_table:
    entry 'P', '3', popcount32 + 1
    entry 'R', '3', reverse32 + 1
    entry 'L', '3', clz32 + 1
    entry 'T', '3', ctz32 + 1
    entry 'M', 'S', rom_memset + 1
    entry 'S', '4', rom_memset + 1
    entry 'M', 'C', rom_memcpy + 1
    entry 'C', '4', rom_memcpy + 1
    entry 'U', 'B', reset_to_usb_boot + 1
    entry 'I', 'F', connect_internal_flash + 1
    entry 'E', 'X', flash_exit_xip + 1
    entry 'R', 'E', flash_range_erase + 1
    entry 'R', 'P', flash_range_program + 1
    entry 'F', 'C', flash_flush_cache + 1
    entry 'C', 'X', flash_enter_cmd_xip + 1
    entry 'W', 'V', wait_for_vector + 1
    .hword 0
    .balign 4
data_table:
    entry 'C', 'R', about
    entry 'G', 'R', revision
    entry 'F', 'S', soft_float_table
    entry 'S', 'F', soft_float_table
    entry 'S', 'D', soft_double_table
    entry 'F', 'E', soft_double_end
    .hword 0
    .balign 4
/* The functions of the first layout, in their order; `absent` stands where this ROM has none. */
soft_float_table:
    .word __aeabi_fadd, __aeabi_fsub, __aeabi_fmul, __aeabi_fdiv
    .word absent, absent, rom_fsqrt, rom_float2int
    .word absent, rom_float2uint, absent, __aeabi_i2f
    .word absent, __aeabi_ui2f, absent, absent
    .word absent, absent, absent, absent
    .word absent, rom_fcmp, absent, __aeabi_l2f
    .word absent, __aeabi_ul2f, absent, rom_float2int64
    .word absent, rom_float2uint64, absent, __aeabi_f2d
soft_double_table:
    .word __aeabi_dadd, __aeabi_dsub, __aeabi_dmul, __aeabi_ddiv
    .word absent, absent, rom_dsqrt, rom_double2int
    .word absent, rom_double2uint, absent, __aeabi_i2d
    .word absent, __aeabi_ui2d, absent, absent
    .word absent, absent, absent, absent
    .word absent, rom_dcmp, absent, __aeabi_l2d
    .word absent, __aeabi_ul2d, absent, rom_double2int64
    .word absent, rom_double2uint64, absent, __aeabi_d2f
soft_double_end:
revision:
    .word 0
about:
    .asciz "cyclescope"
    .balign 2

    .section .text.start, "ax"
    .thumb_func
    .global reset
reset:
    ldr r4, =SIO_BASE
    ldr r0, [r4]
    cmp r0, #0
    bne wait_for_vector
    bl boot
    .thumb_func
stop:
    wfi
    b stop

/* A function that the vendor's ROM has and this one has not. */
    .thumb_func
absent:
    udf #0

/* Waits for another processor to send 1, a vector table, a stack pointer and an entry point, each of which is sent back. */
    .thumb_func
    .global wait_for_vector
wait_for_vector:
    ldr r4, =SIO_BASE
    movs r0, #0
    bl send
1:  bl receive
    bl send
    cmp r0, #1
    bne 1b
    bl receive
    bl send
    mov r5, r0
    bl receive
    bl send
    mov r6, r0
    bl receive
    bl send
    mov r7, r0
    ldr r1, =0xe000ed08
    str r5, [r1]
    msr msp, r6
    bx r7

    .thumb_func
receive:
    ldr r0, [r4, #FIFO_ST]
    lsrs r0, r0, #1
    bcs 1f
    wfe
    b receive
1:  ldr r0, [r4, #FIFO_RD]
    bx lr

    .thumb_func
send:
    ldr r1, [r4, #FIFO_ST]
    lsrs r1, r1, #2
    bcc send
    str r0, [r4, #FIFO_WR]
    sev
    bx lr

/* r0: a table, r1: two letters. Returns the halfword behind the letters, or 0. */
    .thumb_func
    .global table_lookup
table_lookup:
    mov r2, r0
1:  ldrh r3, [r2]
    cmp r3, #0
    beq 2f
    cmp r3, r1
    beq 3f
    adds r2, #4
    b 1b
2:  movs r0, #0
    bx lr
3:  ldrh r0, [r2, #2]
    bx lr

/* r0: the entry of a second stage, which finds 0 as its caller. */
    .thumb_func
    .global enter_second_stage
enter_second_stage:
    movs r1, #0
    mov lr, r1
    bx r0

/* r0: a stack pointer, r1: an entry point. */
    .thumb_func
    .global enter_with_stack
enter_with_stack:
    msr msp, r0
    bx r1
