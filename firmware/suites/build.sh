#!/bin/sh
# Builds the ELFs of crates/cyclescope/tests/suites anew, with the packages that CONTRIBUTING.md names for firmware.
set -eu
cd "$(dirname "$0")"
export PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc CARGO=/usr/bin/cargo RUSTC_BOOTSTRAP=1
out=../../crates/cyclescope/tests/suites
target="${CARGO_TARGET_DIR:-$PWD/target}"
# No path of this machine and no registry's name reach an ELF. The last prefix that fits counts.
export CARGO_ENCODED_RUSTFLAGS="$(printf '%s\037' "--remap-path-prefix=$(cd ../.. && pwd)=cyclescope" \
  "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" \
  "--remap-path-prefix=$(echo "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*)=registry" "--remap-path-prefix=/usr/lib/rustlib/src/rust=rust" \
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
for name in wires can targets; do
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -ffreestanding -nostdlib -Wall -Werror -Wl,-n,--build-id=none \
    -T wires/wires.ld -o "$out/$name.elf" "wires/$name.c"
  arm-none-eabi-objcopy --strip-debug "$out/$name.elf"
done

# What starts on every part of a family.
boot() { # name, number in boot.c, core
  arm-none-eabi-gcc "-mcpu=$3" -mthumb -Os -ffreestanding -nostdlib -Wall -Werror -Wl,-n,--build-id=none "-DFAMILY=$2" \
    -T boot/boot.ld -o "$out/boot-$1.elf" boot/boot.c
  arm-none-eabi-objcopy --strip-debug "$out/boot-$1.elf"
}
boot stm32f1 1 cortex-m3
boot stm32f4 4 cortex-m4
boot stm32c0 10 cortex-m0plus
boot stm32g0 20 cortex-m0plus
boot stm32g4 24 cortex-m4
boot stm32l4 34 cortex-m4

# What starts on the chips of two other vendors, by the start-up code of their boards. Names are left out.
boot_board() { # chip, then what the compiler is given
  chip=$1
  shift
  mkdir -p "$out/hal/$chip"
  arm-none-eabi-gcc "$@" -mthumb -Os -ffreestanding -nostdlib -Wall -Wextra -Werror -Wl,-n,--build-id=none -DCHANNEL_UART \
    -I ../boards/common -I "../boards/$chip" -L ../boards/common -T "../boards/$chip/link.ld" -o "$out/hal/$chip/boot.elf" \
    "boot/$chip.c" "../boards/$chip/board.c" "../boards/$chip/vectors.c" ../boards/common/reset.c -lgcc
  arm-none-eabi-objcopy --strip-all "$out/hal/$chip/boot.elf"
}
boot_board nrf52840 -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
boot_board rp2040 -mcpu=cortex-m0plus ../boards/rp2040/boot2.S

# Tasks with their types, without what only a debugger reads.
(cd tasks && cargo build --locked --release -Zbuild-std=core --target thumbv7em-none-eabihf --target-dir "$target")
arm-none-eabi-objcopy --remove-section .debug_aranges --remove-section .debug_frame --remove-section .debug_loc \
  "$target/thumbv7em-none-eabihf/release/tasks" "$out/tasks.elf"

# Serial ports over USB, by a stack of our own.
usb_arm() { # name, core, the port
  arm-none-eabi-gcc "-mcpu=$2" -mthumb -Os -ffreestanding -fno-builtin -nostdlib -Wall -Werror -Wl,-n,--build-id=none \
    -T usb/cortex-m.ld -o "$out/$1.elf" usb/start.c usb/cdc.c "usb/$3" -lgcc
  arm-none-eabi-objcopy --strip-debug "$out/$1.elf"
}
usb_arm usb-f103 cortex-m3 stm32f103.c
usb_arm usb-f446 cortex-m4 stm32f446.c
avr-gcc -mmcu=atmega32u4 -std=c11 -Os -Wall -Werror -o "$out/usb-32u4.elf" usb/cdc.c usb/atmega32u4.c
avr-objcopy --strip-debug "$out/usb-32u4.elf"

# The same by embassy-usb.
usb_embassy() { # chip, target, name
  (cd usb/embassy && cargo build --locked --release -Zbuild-std=core --target "$2" --features "$1" \
    --target-dir "$target/usb-$1")
  arm-none-eabi-objcopy --strip-debug "$target/usb-$1/$2/release/usb-serial" "$out/$3.elf"
}
usb_embassy stm32f103c8 thumbv7m-none-eabi usb-embassy-f103
usb_embassy stm32f446re thumbv7em-none-eabihf usb-embassy-f446

# A program for each driver of an async HAL, part of which is generated beside what is built. Of the C031's timers its clock leaves
# only one to programs.
drivers() { # project, chip, target, what cargo is given
  project=$1 chip=$2 triple=$3
  shift 3
  mkdir -p "$out/hal/$chip"
  (cd "$project" && export CARGO_ENCODED_RUSTFLAGS="$CARGO_ENCODED_RUSTFLAGS$(printf '\037')--remap-path-prefix=$target=target" \
    && cargo build --locked --release -Zbuild-std=core --target "$triple" "$@" --target-dir "$target/$project" \
      --message-format=json) \
    | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | while read -r elf; do
      # Names and lines would be half of the file, and no test looks at them.
      arm-none-eabi-objcopy --strip-all "$elf" "$out/hal/$chip/$(basename "$elf").elf"
    done
}
hal() { # chip, target, further features, programs
  chip=$1 triple=$2 features=$3
  shift 3
  drivers hal "$chip" "$triple" --features "$chip$features" "$@"
}
hal stm32f103c8 thumbv7m-none-eabi "" --bins
hal stm32f446ze thumbv7em-none-eabihf "" --bins
hal stm32c031c6 thumbv6m-none-eabi ,general,embassy-stm32/time-driver-tim1 --bins
hal stm32c031c6 thumbv6m-none-eabi ,advanced,embassy-stm32/time-driver-tim3 --bin pwm
# The drivers that people try first; the G431's small package lacks the pins of `gpio`.
everyday="--bin clocks --bin stop --bin usart_flow --bin crc --bin exti --bin i2c_async --bin i2c_blocking --bin spi_async --bin spi_blocking --bin uid \
  --bin usart_async --bin usart_blocking --bin usart_buffered"
# shellcheck disable=SC2086
hal stm32f411ce thumbv7em-none-eabihf "" --bin gpio $everyday
# shellcheck disable=SC2086
hal stm32g071rb thumbv6m-none-eabi "" --bin gpio --bin dac_dma $everyday
# shellcheck disable=SC2086
hal stm32g431kb thumbv7em-none-eabihf "" --bin adc_injected --bin dac_dma $everyday
# shellcheck disable=SC2086
hal stm32l476rg thumbv7em-none-eabihf "" --bin gpio --bin dac_dma $everyday
# Only the clocks of these are looked at.
hal stm32f107vc thumbv7m-none-eabi "" --bin clocks
hal stm32l4r5zi thumbv7em-none-eabihf "" --bin clocks
# The HAL's executor for low power, in place of the everyday one.
hal stm32l476rg thumbv7em-none-eabihf ,low_power --no-default-features --bin low_power
# The HALs of other vendors' chips.
drivers hal-nrf nrf52840 thumbv7em-none-eabihf --bins
drivers hal-rp rp2040 thumbv6m-none-eabi --bins
# A program on RTIC for the same chips.
drivers rtic nrf52840 thumbv7em-none-eabihf --features nrf52840
drivers rtic rp2040 thumbv6m-none-eabi --features rp2040

# For the X-ray of tasks, with the debug information that it reads: Embassy with its executor's hooks and without.
tasks() { # name, then what cargo is given
  name=$1
  shift
  (cd hooks && cargo build --locked --release -Zbuild-std=core --target thumbv7em-none-eabihf "$@" --target-dir "$target/hooks")
  arm-none-eabi-objcopy -R .debug_loc -R .debug_aranges "$target/hooks/thumbv7em-none-eabihf/release/hooks" "$out/$name.elf"
}
tasks tasks-plain
tasks tasks-hooks --features trace

# FreeRTOS with the kernel's trace macros and without; its sources lie in a crate's package.
kernel="$(cargo metadata --locked --format-version 1 --manifest-path ../freertos/kernel/Cargo.toml \
  | sed 's/.*"manifest_path":"\([^"]*freertos-next[^"]*\)\/Cargo.toml".*/\1/')/FreeRTOS-Kernel"
port="$kernel/portable/GCC/ARM_CM4F"
core="-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard --specs=nano.specs"
# Copies of the compiler's libraries without their debug information, which has paths of those who built them.
libraries="$target/libraries"
mkdir -p "$libraries"
for library in libg_nano.a libgcc.a; do
  arm-none-eabi-objcopy -g "$(arm-none-eabi-gcc $core -print-file-name=$library)" "$libraries/$library"
done
threads() { # name, then what the compiler is given
  name=$1
  shift
  arm-none-eabi-gcc $core -L "$libraries" -std=c11 -Os -g -ffunction-sections \
    -fdata-sections -Wall -Wextra -Werror "$@" "-ffile-prefix-map=$kernel=kernel" "-ffile-prefix-map=$PWD=suites" -nostartfiles \
    -Wl,-n,--build-id=none,--gc-sections -I threads -isystem "$kernel/include" -isystem "$port" \
    -I ../boards/common -L ../boards/common -T ../boards/stm32f446ze/link.ld -o "$out/$name.elf" threads/threads.c \
    "$kernel/tasks.c" "$kernel/list.c" "$kernel/queue.c" "$kernel/portable/MemMang/heap_4.c" "$port/port.c" \
    ../boards/stm32f446ze/vectors.c ../boards/common/reset.c
}
threads threads-semaphore
threads threads-semaphore-hooks -DHOOKS
threads threads-mutex -DMUTEX
threads threads-mutex-hooks -DMUTEX -DHOOKS
