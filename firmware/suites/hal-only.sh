#!/bin/sh
# Builds the ELFs of crates/cyclescope/tests/suites anew, with the packages that CONTRIBUTING.md names for firmware.
set -eu
cd "$(dirname "$0")"
export PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc CARGO=/usr/bin/cargo RUSTC_BOOTSTRAP=1
out=../../crates/cyclescope/tests/suites
target="${CARGO_TARGET_DIR:-$PWD/target}"
# No path of this machine reaches an ELF.
export CARGO_ENCODED_RUSTFLAGS="$(printf '%s\037' "--remap-path-prefix=$(cd ../.. && pwd)=cyclescope" \
  "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" "--remap-path-prefix=/usr/lib/rustlib/src/rust=rust" \
  | sed 's/\x1f$//')"
mkdir -p "$out"

# A program for each driver of an async HAL, part of which is generated beside what is built. Of the C031's timers its clock leaves
# only one to programs.
hal() { # chip, target, further features, programs
  chip=$1 triple=$2 features=$3
  shift 3
  (cd hal && export CARGO_ENCODED_RUSTFLAGS="$CARGO_ENCODED_RUSTFLAGS$(printf '\037')--remap-path-prefix=$target=target" \
    && cargo build --locked --release -Zbuild-std=core --target "$triple" --features "$chip$features" "$@" \
    --target-dir "$target/hal" --message-format=json) \
    | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | while read -r elf; do
      # Names and lines would be half of the file, and no test looks at them.
      arm-none-eabi-objcopy --strip-all "$elf" "$out/hal/$chip/$(basename "$elf").elf"
    done
}
for chip in stm32f103c8 stm32f446ze stm32c031c6; do mkdir -p "$out/hal/$chip"; done
hal stm32f103c8 thumbv7m-none-eabi "" --bins
hal stm32f446ze thumbv7em-none-eabihf "" --bins
hal stm32c031c6 thumbv6m-none-eabi ,general,embassy-stm32/time-driver-tim1 --bins
hal stm32c031c6 thumbv6m-none-eabi ,advanced,embassy-stm32/time-driver-tim3 --bin pwm
