@ The vectors, trap entry and trap exit. The layout of State in mod.rs is written down here a second time:
@ r4 to r11, then the process's stack pointer, on which the processor itself has put r0 to r3, r12, lr, pc and xPSR.

    .section .vectors, "a"
    .word   kernel_stack_top
    .word   kernel_start
    .word   kernel_stumbled             @ NMI
    .word   kernel_stumbled             @ HardFault
    .word   kernel_process_faulted      @ MemManage
    .word   kernel_process_faulted      @ BusFault
    .word   kernel_process_faulted      @ UsageFault
    .word   0, 0, 0, 0
    .word   cyclescope_trap_vector      @ SVCall
    .word   kernel_stumbled             @ DebugMonitor
    .word   0
    .word   kernel_stumbled             @ PendSV
    .word   kernel_stumbled             @ SysTick

    .section .text.start, "ax"
    .globl  kernel_start
    .type   kernel_start, %function
    .thumb_func
kernel_start:
    ldr     r0, =kernel_data_load
    ldr     r1, =kernel_data_start
    ldr     r2, =kernel_data_end
1:  cmp     r1, r2
    bhs     2f
    ldr     r3, [r0], #4
    str     r3, [r1], #4
    b       1b
2:  ldr     r1, =kernel_bss_start
    ldr     r2, =kernel_bss_end
    movs    r3, #0
3:  cmp     r1, r2
    bhs     4f
    str     r3, [r1], #4
    b       3b
4:  b       kernel_main
    .ltorg
    .size   kernel_start, . - kernel_start

@ The kernel lives in handler mode, on the main stack, which is empty while the process runs.
    .section .text.trap, "ax"
    .globl  cyclescope_trap_vector
    .type   cyclescope_trap_vector, %function
    .thumb_func
cyclescope_trap_vector:
    mrs     r12, psp
    ldr     r0, =kernel_process
    stmia   r0, {r4-r12}
    push    {r0, lr}
    bl      kernel_trap
    pop     {r0, lr}
    b.w     cyclescope_trap_return
    .ltorg
    .size   cyclescope_trap_vector, . - cyclescope_trap_vector

@ r0: State; lr: what the exception came with.
    .globl  cyclescope_trap_return
    .type   cyclescope_trap_return, %function
    .thumb_func
cyclescope_trap_return:
    ldmia   r0, {r4-r12}
    msr     psp, r12
    bx      lr
    .size   cyclescope_trap_return, . - cyclescope_trap_return

@ A fault that was not the process's comes while the main stack is in use.
    .globl  kernel_process_faulted
    .type   kernel_process_faulted, %function
    .thumb_func
kernel_process_faulted:
    tst     lr, #4
    beq     kernel_stumbled
    mrs     r12, psp
    ldr     r0, =kernel_process
    stmia   r0, {r4-r12}
    bl      kernel_trap
    .ltorg
    .size   kernel_process_faulted, . - kernel_process_faulted

    .globl  kernel_stumbled
    .type   kernel_stumbled, %function
    .thumb_func
kernel_stumbled:
    mov     r0, sp
    bl      kernel_fault
    .size   kernel_stumbled, . - kernel_stumbled
