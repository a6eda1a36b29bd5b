#!/bin/sh
# Builds the ELFs of crates/cyclescope/tests/suites anew, with the packages that CONTRIBUTING.md names for firmware.
set -eu
cd "$(dirname "$0")"
export PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc CARGO=/usr/bin/cargo RUSTC_BOOTSTRAP=1
out=../../crates/cyclescope/tests/suites
target="${CARGO_TARGET_DIR:-target}"
# No path of this machine reaches an ELF.
export CARGO_ENCODED_RUSTFLAGS="$(printf '%s\037' "--remap-path-prefix=$(cd ../.. && pwd)=cyclescope" \
  "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" "--remap-path-prefix=/usr/lib/rustlib/src/rust=rust" \
  | sed 's/\x1f$//')"
mkdir -p "$out"

build() { # name, then what cargo is given
  name=$1
  shift
  elf=$(cargo build --locked --release -Zbuild-std=core --target thumbv7em-none-eabihf "$@" --message-format=json \
    | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
  # Lines would be most of the file, and no test looks at them.
  arm-none-eabi-objcopy --strip-debug "$elf" "$out/$name.elf"
}

for ending in probe semihosting rtt fault exit; do build "panic-$ending" --bin panics --features "$ending"; done
build defmt-passing --test defmt
build defmt-failing --test defmt --features failing
build embedded-passing --test embedded --features embedded
build embedded-failing --test embedded --features embedded,failing

# What answers over serial ports needs no crate.
parts="$(mktemp -d)"
arm-none-eabi-as -o "$parts/arm.o" desk/arm.s
arm-none-eabi-ld -n -T desk/arm.ld -o "$out/desk-arm.elf" "$parts/arm.o"
avr-as -mmcu=atmega328p -o "$parts/avr.o" desk/avr.s
# The linker keeps the name of its input.
(cd "$parts" && avr-ld -m avr5 -Ttext 0 -o linked.elf avr.o)
mv "$parts/linked.elf" "$out/desk-avr.elf"
riscv64-unknown-elf-as -march=rv32imac -mabi=ilp32 -o "$parts/riscv.o" desk/riscv.s
riscv64-unknown-elf-ld -N -m elf32lriscv -Ttext 0x80000000 -o "$out/desk-riscv.elf" "$parts/riscv.o"
rm -r "$parts"

# What uses files by semihosting.
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -ffreestanding -nostdlib -Wall -Werror -Wl,-n,--build-id=none \
  -T files/files.ld -o "$out/files.elf" files/files.c
arm-none-eabi-objcopy --strip-debug "$out/files.elf"

# What talks to devices on its pins.
for name in wires can; do
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -ffreestanding -nostdlib -Wall -Werror -Wl,-n,--build-id=none \
    -T wires/wires.ld -o "$out/$name.elf" "wires/$name.c"
  arm-none-eabi-objcopy --strip-debug "$out/$name.elf"
done
