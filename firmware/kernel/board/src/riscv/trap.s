# Start-up, trap entry and trap exit. The layout of State in mod.rs is written down here a second time:
# register x(n) lies at 4 * n, pc in the place of x0; mcause at 128, mtval at 132.

    .section .text.start, "ax"
    .globl  kernel_start
    .type   kernel_start, @function
kernel_start:
    la      sp, kernel_stack_top
    la      t0, kernel_data_load
    la      t1, kernel_data_start
    la      t2, kernel_data_end
1:  bgeu    t1, t2, 2f
    lw      t3, 0(t0)
    sw      t3, 0(t1)
    addi    t0, t0, 4
    addi    t1, t1, 4
    j       1b
2:  la      t1, kernel_bss_start
    la      t2, kernel_bss_end
3:  bgeu    t1, t2, 4f
    sw      zero, 0(t1)
    addi    t1, t1, 4
    j       3b
4:  la      t0, cyclescope_trap_vector
    csrw    mtvec, t0
    csrw    mscratch, zero
    j       kernel_main
    .size   kernel_start, . - kernel_start

# Ibex always vectors its interrupts, by a table of jumps; exceptions go to the first entry, in which all the rest ends, too.
# While the process runs, mscratch holds the address of its State; while the kernel runs, 0.
    .section .text.trap, "ax"
    .globl  cyclescope_trap_vector
    .type   cyclescope_trap_vector, @function
    .balign 256
cyclescope_trap_vector:
    .option push
    .option norvc
    .rept   32
    j       5f
    .endr
    .option pop
5:  csrrw   t6, mscratch, t6
    beqz    t6, 6f
    sw      ra, 4(t6)
    sw      sp, 8(t6)
    sw      gp, 12(t6)
    sw      tp, 16(t6)
    sw      t0, 20(t6)
    sw      t1, 24(t6)
    sw      t2, 28(t6)
    sw      s0, 32(t6)
    sw      s1, 36(t6)
    sw      a0, 40(t6)
    sw      a1, 44(t6)
    sw      a2, 48(t6)
    sw      a3, 52(t6)
    sw      a4, 56(t6)
    sw      a5, 60(t6)
    sw      a6, 64(t6)
    sw      a7, 68(t6)
    sw      s2, 72(t6)
    sw      s3, 76(t6)
    sw      s4, 80(t6)
    sw      s5, 84(t6)
    sw      s6, 88(t6)
    sw      s7, 92(t6)
    sw      s8, 96(t6)
    sw      s9, 100(t6)
    sw      s10, 104(t6)
    sw      s11, 108(t6)
    sw      t3, 112(t6)
    sw      t4, 116(t6)
    sw      t5, 120(t6)
    csrrw   t0, mscratch, zero
    sw      t0, 124(t6)
    csrr    t0, mepc
    sw      t0, 0(t6)
    csrr    t0, mcause
    sw      t0, 128(t6)
    csrr    t0, mtval
    sw      t0, 132(t6)
    la      sp, kernel_stack_top
    mv      s0, t6
    mv      a0, t6
    call    kernel_trap
    mv      a0, s0
    j       cyclescope_trap_return
# The kernel itself stumbled.
6:  la      sp, kernel_stack_top
    csrr    a0, mcause
    csrr    a1, mepc
    call    kernel_fault
    .size   cyclescope_trap_vector, . - cyclescope_trap_vector

# void cyclescope_trap_return(State *): never comes back, but by the vector. What the process had in mstatus.MPP is user mode.
    .globl  cyclescope_trap_return
    .type   cyclescope_trap_return, @function
cyclescope_trap_return:
    csrw    mscratch, a0
    lw      t0, 0(a0)
    csrw    mepc, t0
    lw      ra, 4(a0)
    lw      sp, 8(a0)
    lw      gp, 12(a0)
    lw      tp, 16(a0)
    lw      t0, 20(a0)
    lw      t1, 24(a0)
    lw      t2, 28(a0)
    lw      s0, 32(a0)
    lw      s1, 36(a0)
    lw      a1, 44(a0)
    lw      a2, 48(a0)
    lw      a3, 52(a0)
    lw      a4, 56(a0)
    lw      a5, 60(a0)
    lw      a6, 64(a0)
    lw      a7, 68(a0)
    lw      s2, 72(a0)
    lw      s3, 76(a0)
    lw      s4, 80(a0)
    lw      s5, 84(a0)
    lw      s6, 88(a0)
    lw      s7, 92(a0)
    lw      s8, 96(a0)
    lw      s9, 100(a0)
    lw      s10, 104(a0)
    lw      s11, 108(a0)
    lw      t3, 112(a0)
    lw      t4, 116(a0)
    lw      t5, 120(a0)
    lw      t6, 124(a0)
    lw      a0, 40(a0)
    mret
    .size   cyclescope_trap_return, . - cyclescope_trap_return
