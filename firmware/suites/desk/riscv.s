# Echoes what comes to the serial port of QEMU's virt. r: reset by the finisher, w: sleep.

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
    li t1, 'r'
    beq a0, t1, reset
    sb a0, 0(t0)
    j poll
reset:
    li t1, 0x100000
    li t2, 0x7777
    sw t2, 0(t1)
    j .
sleep:
    wfi
    j sleep
