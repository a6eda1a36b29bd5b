#!/usr/bin/env bash
# Builds the boot ROM of the RP2040 into crates/chips/data/rp2040-bootrom.bin, by the compiler of the images (CONTRIBUTING.md).
#
#   firmware/rp2040-bootrom/build.sh [TO]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here/../../crates/chips/data/rp2040-bootrom.bin}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
gcc=/usr/bin/arm-none-eabi-gcc
flags=(-mcpu=cortex-m0plus -mthumb -Os -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns -ffunction-sections
  -Wall -Wextra -Werror "-ffile-prefix-map=$here=.")
"$gcc" "${flags[@]}" -c "$here/rom.c" -o "$out/rom.o"
"$gcc" "${flags[@]}" -c "$here/start.S" -o "$out/start.o"
"$gcc" "${flags[@]}" -nostdlib -nostartfiles "-Wl,-T,$here/link.ld" -Wl,--build-id=none "$out/start.o" "$out/rom.o" -lgcc \
  -o "$out/rom.elf"
/usr/bin/arm-none-eabi-objcopy -O binary "$out/rom.elf" "$to"
[ "${ROM_ELF:-}" = "" ] || cp "$out/rom.elf" "$ROM_ELF"
