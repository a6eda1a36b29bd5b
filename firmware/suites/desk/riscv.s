# Echoes what comes to the serial port of QEMU's virt. w: sleep.

    .global _start
_start:
    li t0, 0x10000000
    li a0, '>'
    sb a0, 0(t0)
poll:
    lb t1, 5(t0)
    andi t1, t1, 1
    beqz t1, poll
    lbu a0, 0(t0)
    li t1, 'w'
    beq a0, t1, sleep
    sb a0, 0(t0)
    j poll
sleep:
    wfi
    j sleep
