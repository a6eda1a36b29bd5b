/* The first instructions on RISC-V: global pointer, stack, zeroes, then the program. What is initialised was loaded where
 * it belongs. */
    .section .start, "ax"
    .global _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, _stack_top
    la t0, _sbss
    la t1, _ebss
zero:
    bgeu t0, t1, run
    sw zero, 0(t0)
    addi t0, t0, 4
    j zero
run:
    call main
stay:
    j stay
    .size _start, . - _start
