/* Ibex's vector table, always vectored and here at the start of RAM, where mtvec points after a reset: exceptions and the
 * machine timer go to the kernel's own handlers for such cores, all else to the one that asks the application. */
    .section .vectors, "ax"
    .option norvc
    .global trap_vectors
    .type trap_vectors, @function
trap_vectors:
    j freertos_risc_v_exception_handler
    .rept 6
    j freertos_risc_v_interrupt_handler
    .endr
    j freertos_risc_v_mtimer_interrupt_handler
    .rept 24
    j freertos_risc_v_interrupt_handler
    .endr
    .size trap_vectors, . - trap_vectors
