"""The peer of the oracle for programmable I/O: runs programs on rp2040-pio-emulator and answers with the states.

All numbers are little-endian words of 32 bits. The peer says hello once (MAGIC), then answers each request on stdin until it ends:
  request  iterations, the settings and the state at the beginning (NAMES), 32 instructions, 4 words for the TX FIFO
  answer   the number of iterations, then the state behind each (see `shown`)
An iteration is an instruction with its delay, or a cycle in which one stalls. Behind each the host of `Host` fills and drains FIFOs.
"""

import struct
import sys
from collections import deque

sys.path.insert(0, sys.argv[1])
from pioemu import ShiftRegister, State, emulate  # noqa: E402

MAGIC = 0x4F495031
MASK = 0xFFFFFFFF
SETTINGS = (
    "auto_pull auto_push pull_threshold push_threshold shift_isr_right shift_osr_right out_base out_count set_base set_count "
    "side_set_base side_set_count jmp_pin wrap_target wrap_top"
).split()
STATE = "pin_directions pin_values x_register y_register isr isr_count osr osr_count".split()
HOST = "reads_input seed fills drains".split()
NAMES = SETTINGS + STATE + HOST


def number(seed, index):
    """The number `index` of the sequence that `seed` names."""
    value = (index * 0x9E3779B1 + seed) & MASK
    value ^= value >> 15
    return value * 0x85EBCA6B & MASK


class Host:
    """Fills the TX FIFO and drains the RX FIFO by fixed rules."""

    def __init__(self, values):
        self.values, self.filled, self.iteration = values, 0, 0

    def attend(self, state, program):
        self.iteration += 1
        transmit, receive = state.transmit_fifo, state.receive_fifo
        fills, drains = self.values["fills"], self.values["drains"]
        out = program[state.program_counter % 32] >> 13 == 3
        empty = state.output_shift_register.counter >= self.values["pull_threshold"] and not transmit
        due = fills == 1 or fills == 2 and out and empty or fills == 3 and self.iteration % 16 == 0
        if due and len(transmit) < 4:
            transmit.append(number(self.values["seed"], 1000 + self.filled))
            self.filled += 1
        if drains == 1 and len(receive) >= 3 or drains == 2 and self.iteration % 64 == 0:
            receive.clear()


def shown(state):
    isr, osr = state.input_shift_register, state.output_shift_register
    newest = state.receive_fifo[-1] if state.receive_fifo else 0
    return [
        state.clock, state.program_counter, state.pin_values, state.pin_directions, state.x_register, state.y_register,
        isr.contents, isr.counter, osr.contents, osr.counter, len(state.transmit_fifo), len(state.receive_fifo), newest,
    ]


def run(iterations, values, program, words):
    host = Host(values)
    initial = State(
        pin_directions=values["pin_directions"],
        pin_values=values["pin_values"],
        x_register=values["x_register"],
        y_register=values["y_register"],
        transmit_fifo=deque(words),
        receive_fifo=deque(),
        input_shift_register=ShiftRegister(values["isr"], values["isr_count"]),
        output_shift_register=ShiftRegister(values["osr"], values["osr_count"]),
    )
    settings = {name: values[name] for name in SETTINGS}
    for name in ("auto_pull", "auto_push", "shift_isr_right", "shift_osr_right"):
        settings[name] = bool(settings[name])

    def level(clock: int) -> int:
        return number(values["seed"], clock >> 3)

    source = level if values["reads_input"] else None
    states = []
    emulation = emulate(program, stop_when=lambda *_: False, initial_state=initial, input_source=source, **settings)
    try:
        for _, state in emulation:
            states.append(shown(state))
            if len(states) >= iterations:
                break
            host.attend(state, program)
    except IndexError:
        # It has gone on behind the last instruction.
        pass
    return states


def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer

    def words(count):
        data = stdin.read(4 * count)
        return struct.unpack(f"<{count}I", data) if len(data) == 4 * count else None

    stdout.write(struct.pack("<I", MAGIC))
    stdout.flush()
    while head := words(1 + len(NAMES)):
        program, fifo = list(words(32)), words(4)
        states = run(head[0], dict(zip(NAMES, head[1:])), program, fifo)
        flat = [word for state in states for word in state]
        stdout.write(struct.pack(f"<I{len(flat)}I", len(states), *flat))
        stdout.flush()


main()
