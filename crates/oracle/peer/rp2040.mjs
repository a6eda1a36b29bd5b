// The peer of the oracle for the RP2040: runs programs on a core of rp2040js and answers with its states.
//
// All numbers are little-endian words of 32 bits. The peer says hello once (MAGIC), then answers each request on stdin until it ends:
//   request  instructions to carry out, bytes of code, 16 registers, the code (at CODE, padded to a word)
//   answer   behind each instruction 16 registers, the flags as in APSR, and its cycles
// Blocks are as after a reset when a program begins, and out of reset. RAM from CODE on holds the code alone.

import { readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const MAGIC = 0x34325052;
const CODE = 0x20000000;
const RAM = 0x20000000;
const RAM_USED = 0x4000;
const WATCHDOG = 0x40058;

const require = createRequire(pathToFileURL(process.argv[2] + '/'));
const { RP2040 } = require('rp2040js');

function read(count) {
  const bytes = Buffer.alloc(count);
  let done = 0;
  while (done < count) {
    let some;
    try {
      some = readSync(0, bytes, done, count - done, null);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      throw error;
    }
    if (some === 0) process.exit(0);
    done += some;
  }
  return bytes;
}

function write(words) {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  let done = 0;
  while (done < bytes.length) done += writeSync(1, bytes, done, bytes.length - done);
}

function fresh(mcu, code, registers) {
  mcu.sram.fill(0, CODE - RAM, CODE - RAM + RAM_USED);
  mcu.sram.set(code, CODE - RAM);
  mcu.sio = new mcu.sio.constructor(mcu);
  const dog = mcu.peripherals[WATCHDOG];
  mcu.peripherals[WATCHDOG] = new dog.constructor(mcu, dog.name);
  const core = mcu.core;
  core.registers.set(registers);
  [core.N, core.Z, core.C, core.V] = [false, false, false, false];
  [core.PM, core.waiting, core.eventRegistered, core.interruptsUpdated] = [false, false, false, false];
  return core;
}

const mcu = new RP2040();
mcu.logger = { debug() {}, info() {}, warn() {}, error() {} };
write(Uint32Array.of(MAGIC));
for (;;) {
  const head = read(8);
  const [instructions, bytes] = [head.readUInt32LE(0), head.readUInt32LE(4)];
  const saved = read(64);
  const registers = Uint32Array.from({ length: 16 }, (_, index) => saved.readUInt32LE(4 * index));
  const core = fresh(mcu, read(bytes), registers);
  const answer = new Uint32Array(18 * instructions);
  for (let index = 0; index < instructions; index++) {
    const cycles = core.executeInstruction();
    answer.set(core.registers, 18 * index);
    answer[18 * index + 15] = core.PC;
    answer[18 * index + 16] = (core.N << 31) | (core.Z << 30) | (core.C << 29) | (core.V << 28);
    answer[18 * index + 17] = cycles;
  }
  write(answer);
}
