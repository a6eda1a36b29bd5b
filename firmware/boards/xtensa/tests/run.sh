#!/usr/bin/env bash
# Runs the tests of what Xtensa boards share, and of FreeRTOS's port, under QEMU's machine `sim`: the LX106 for the call0 ABI, DE212
# for windows. Time is counted in instructions, so that all runs are alike. DE212 has 32 registers, which the depth of the kernel's
# calls alone spills: that a switch spills all 64 of an LX6 shows on the simulator's ESP32. Needs gcc-xtensa-lx106, qemu-system-misc and python3.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
kernel=$(cd firmware/freertos/kernel && cargo metadata --locked --format-version 1 | python3 -c '
import json, os, sys
package, = [p for p in json.load(sys.stdin)["packages"] if p["name"] == "freertos-next"]
print(os.path.join(os.path.dirname(package["manifest_path"]), "FreeRTOS-Kernel"))')
boards=firmware/boards/xtensa
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

# check NAME MODE SOURCES...: builds for both ABIs at both levels, and wants `NAME: right`.
check() {
  local name=$1 mode=$2 abi level
  shift 2
  for abi in call0 windowed; do
    local machine=() cpu=lx106
    if [ "$abi" = windowed ]; then
      machine=(-mabi=windowed "-Wa,$boards/windowed.inc" -DXTENSA_WINDOWS=8) cpu=de212
    fi
    for level in s 3; do
      xtensa-lx106-elf-gcc "${machine[@]}" -std=c17 "-O$level" -ffreestanding -fno-common -ffunction-sections -fdata-sections \
        -Wall -Wextra -Werror -DBOARD_XTENSA_SIM "-DMODE_$mode" -I"$boards/tests" -I"$boards" -Ifirmware/boards/common \
        -Ifirmware/freertos/xtensa -Ifirmware/freertos/src -Ifirmware/workload/c -isystem "$kernel/include" \
        "$boards/$abi.S" "$boards/divide.c" "$boards/memory.c" "$boards/tests/board.c" "$@" \
        -nostdlib -Wl,--no-relax -Wl,--gc-sections -L"$boards" -T"$boards/tests/$cpu.ld" -o "$build/test.elf"
      if [ "$abi" = windowed ]; then
        python3 "$boards/tests/windowed_calls.py" "$build/test.elf"
      fi
      local said
      said=$(timeout 120 qemu-system-xtensa -M sim -cpu "$cpu" -icount shift=4 -nographic -monitor none -serial none \
        -semihosting -device "loader,file=$build/test.elf,cpu-num=0")
      echo "$abi, -O$level, $said"
      [ "$said" = "$name: right" ]
    done
  done
}

check divide PLAIN "$boards/tests/divide_test.c"
check switch TWO_SLICED "$boards/tests/switch_test.c" firmware/freertos/xtensa/port.c "$kernel/tasks.c" "$kernel/list.c"
