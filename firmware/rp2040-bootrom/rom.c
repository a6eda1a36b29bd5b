/* Boot ROM of cyclescope's RP2040: the boot order of RP-008371-DS, "Processor Controlled Boot Sequence", and the functions of
 * "Bootrom Contents" that programs call. There are no variables. */
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))

#define RESETS_CLEAR 0x4000f000u /* RESET through its alias that clears bits */
#define RESET_DONE 0x4000c008u
#define RESET_IO_QSPI (1u << 6)
#define RESET_PADS_QSPI (1u << 9)

#define IO_QSPI 0x40018000u
#define SS_CTRL (IO_QSPI + 0x0cu)
#define OUTOVER (3u << 8)
#define OUTOVER_LOW (2u << 8)
#define OUTOVER_HIGH (3u << 8)

#define SCRATCH(n) REG(0x40058000u + 0x0cu + 4u * (n))
#define BOOT_MAGIC 0xb007c0d3u

#define XIP_CTRL 0x14000000u
#define XIP_FLUSH 0x14000004u
#define SSI 0x18000000u
#define CTRLR0 REG(SSI + 0x00u)
#define CTRLR1 REG(SSI + 0x04u)
#define SSIENR REG(SSI + 0x08u)
#define SER REG(SSI + 0x10u)
#define BAUDR REG(SSI + 0x14u)
#define SR REG(SSI + 0x28u)
#define DR0 REG(SSI + 0x60u)
#define SPI_CTRLR0 REG(SSI + 0xf4u)
#define SR_BUSY (1u << 0)
#define SR_TFNF (1u << 1)
#define SR_RFNE (1u << 3)
#define FRAME_8 (7u << 16)
#define FRAME_32 (31u << 16)
#define EEPROM_READ (3u << 8)

#define SECOND_STAGE 0x20041f00u
#define SECOND_STAGE_BYTES 256u
#define ATTEMPTS 128u

void enter_second_stage(uint32_t entry);
void enter_with_stack(uint32_t stack, uint32_t entry);

/* --- Bits and memory --- */

uint32_t popcount32(uint32_t value) {
    uint32_t count = 0;
    for (; value != 0; value &= value - 1) {
        count++;
    }
    return count;
}

uint32_t reverse32(uint32_t value) {
    uint32_t reversed = 0;
    for (uint32_t bit = 0; bit < 32; bit++, value >>= 1) {
        reversed = reversed << 1 | (value & 1);
    }
    return reversed;
}

uint32_t clz32(uint32_t value) {
    uint32_t count = 32;
    for (; value != 0; value >>= 1) {
        count--;
    }
    return count;
}

uint32_t ctz32(uint32_t value) { return value == 0 ? 32 : popcount32((value & -value) - 1); }

uint8_t *rom_memset(uint8_t *to, uint8_t value, uint32_t count) {
    for (uint32_t at = 0; at < count; at++) {
        ((volatile uint8_t *)to)[at] = value;
    }
    return to;
}

uint8_t *rom_memcpy(uint8_t *to, const uint8_t *from, uint32_t count) {
    if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
        for (; count >= 4; count -= 4, to += 4, from += 4) {
            *(volatile uint32_t *)to = *(const uint32_t *)from;
        }
    }
    for (uint32_t at = 0; at < count; at++) {
        ((volatile uint8_t *)to)[at] = from[at];
    }
    return to + count;
}

/* --- Floating point, over the compiler's library --- */

extern int __aeabi_fcmpeq(float, float), __aeabi_fcmplt(float, float);
extern int __aeabi_dcmpeq(double, double), __aeabi_dcmplt(double, double);

int rom_fcmp(float a, float b) { return a == b ? 0 : a < b ? -1 : 1; }
int rom_dcmp(double a, double b) { return a == b ? 0 : a < b ? -1 : 1; }

/* Towards minus infinity, as the vendor's functions round. */
int64_t rom_double2int64(double value) {
    int64_t whole = (int64_t)value;
    return (double)whole > value ? whole - 1 : whole;
}

static int32_t saturated(int64_t value) {
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

int32_t rom_double2int(double value) {
    return value >= 2147483648.0 ? INT32_MAX : value < -2147483648.0 ? INT32_MIN : saturated(rom_double2int64(value));
}

uint64_t rom_double2uint64(double value) { return value <= 0 ? 0 : (uint64_t)value; }

uint32_t rom_double2uint(double value) {
    return value <= 0 ? 0 : value >= 4294967296.0 ? UINT32_MAX : (uint32_t)value;
}

int32_t rom_float2int(float value) { return rom_double2int((double)value); }
uint32_t rom_float2uint(float value) { return rom_double2uint((double)value); }
int64_t rom_float2int64(float value) { return rom_double2int64((double)value); }
uint64_t rom_float2uint64(float value) { return rom_double2uint64((double)value); }

/* Newton's iteration from above ends where it no longer falls. */
double rom_dsqrt(double value) {
    if (!(value > 0)) {
        return value < 0 ? -(1.0 / 0.0) : value;
    }
    double root = value > 1 ? value : 1;
    for (uint32_t step = 0; step < 1100; step++) {
        double next = (root + value / root) / 2;
        if (!(next < root)) {
            break;
        }
        root = next;
    }
    return root;
}

float rom_fsqrt(float value) { return (float)rom_dsqrt((double)value); }

/* --- Flash --- */

static void release(uint32_t blocks) {
    REG(RESETS_CLEAR) = blocks;
    while ((REG(RESET_DONE) & blocks) != blocks) {
    }
}

static void select(uint32_t level) { REG(SS_CTRL) = (REG(SS_CTRL) & ~OUTOVER) | level; }

/* One byte after another goes out while as many come in; the select line is the caller's. */
static void transfer(const uint8_t *out, uint8_t *in, uint32_t count) {
    uint32_t sent = 0, received = 0;
    while (received < count) {
        if (sent < count && sent - received < 14 && (SR & SR_TFNF)) {
            DR0 = out ? out[sent] : 0;
            sent++;
        }
        if (SR & SR_RFNE) {
            uint8_t byte = (uint8_t)DR0;
            if (in) {
                in[received] = byte;
            }
            received++;
        }
    }
}

static void command(uint8_t code, const uint8_t *address, uint32_t bytes) {
    transfer(&code, 0, 1);
    transfer(address, 0, bytes);
}

static void write_enable(void) {
    select(OUTOVER_LOW);
    command(0x06, 0, 0);
    select(OUTOVER_HIGH);
}

static void wait_ready(void) {
    uint8_t status;
    do {
        select(OUTOVER_LOW);
        command(0x05, 0, 0);
        transfer(0, &status, 1);
        select(OUTOVER_HIGH);
    } while (status & 1);
}

void connect_internal_flash(void) {
    release(RESET_IO_QSPI | RESET_PADS_QSPI);
    for (uint32_t pin = 0; pin < 6; pin++) {
        REG(IO_QSPI + 8 * pin + 4) = 0;
    }
    SSIENR = 0;
    BAUDR = 6;
    CTRLR0 = FRAME_8;
    SER = 1;
    SSIENR = 1;
}

/* Whatever mode the chip reads in, ones end it. */
void flash_exit_xip(void) {
    static const uint8_t ones[4] = {0xff, 0xff, 0xff, 0xff};
    SSIENR = 0;
    BAUDR = 6;
    CTRLR0 = FRAME_8;
    SER = 1;
    SSIENR = 1;
    select(OUTOVER_LOW);
    transfer(ones, 0, sizeof ones);
    select(OUTOVER_HIGH);
    select(OUTOVER_LOW);
    transfer(ones, 0, 2);
    select(OUTOVER_HIGH);
    select(0);
}

void flash_range_erase(uint32_t address, uint32_t count, uint32_t block_bytes, uint8_t block_code) {
    uint32_t end = address + count;
    while (address < end) {
        uint32_t whole = block_bytes > 4096 && (address & (block_bytes - 1)) == 0 && end - address >= block_bytes;
        uint8_t place[3] = {(uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address};
        write_enable();
        select(OUTOVER_LOW);
        command(whole ? block_code : 0x20, place, 3);
        select(OUTOVER_HIGH);
        wait_ready();
        address += whole ? block_bytes : 4096;
    }
}

void flash_range_program(uint32_t address, const uint8_t *data, uint32_t count) {
    for (uint32_t end = address + count; address < end; address += 256, data += 256) {
        uint8_t place[3] = {(uint8_t)(address >> 16), (uint8_t)(address >> 8), (uint8_t)address};
        write_enable();
        select(OUTOVER_LOW);
        command(0x02, place, 3);
        transfer(data, 0, end - address < 256 ? end - address : 256);
        select(OUTOVER_HIGH);
        wait_ready();
    }
}

void flash_flush_cache(void) {
    REG(XIP_FLUSH) = 1;
    (void)REG(XIP_FLUSH);
    REG(XIP_CTRL) |= 1;
    select(0);
}

void flash_enter_cmd_xip(void) {
    SSIENR = 0;
    CTRLR0 = FRAME_32 | EEPROM_READ;
    CTRLR1 = 0;
    SPI_CTRLR0 = 0x03u << 24 | 2u << 8 | 6u << 2;
    BAUDR = 4;
    SSIENR = 1;
}

/* --- Boot --- */

/* The drive that a host sees over USB is not part of this ROM: it waits for ever. */
void reset_to_usb_boot(uint32_t activity_pins, uint32_t disabled) {
    (void)activity_pins;
    (void)disabled;
    for (;;) {
        __asm volatile("wfi");
    }
}

static uint32_t crc32(const uint8_t *data, uint32_t count) {
    uint32_t crc = 0xffffffffu;
    for (uint32_t at = 0; at < count; at++) {
        crc ^= (uint32_t)data[at] << 24;
        for (uint32_t bit = 0; bit < 8; bit++) {
            crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
        }
    }
    return crc;
}

void boot(void) {
    if (SCRATCH(4) == BOOT_MAGIC && (SCRATCH(5) ^ SCRATCH(7)) == -BOOT_MAGIC) {
        SCRATCH(4) = 0;
        enter_with_stack(SCRATCH(6), SCRATCH(7) | 1);
    }
    connect_internal_flash();
    uint8_t *stage = (uint8_t *)SECOND_STAGE;
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        static const uint8_t origin[3] = {0, 0, 0};
        flash_exit_xip();
        select(OUTOVER_LOW);
        command(0x03, origin, 3);
        transfer(0, stage, SECOND_STAGE_BYTES);
        select(OUTOVER_HIGH);
        select(0);
        if (crc32(stage, SECOND_STAGE_BYTES - 4) == *(uint32_t *)(stage + SECOND_STAGE_BYTES - 4)) {
            enter_second_stage(SECOND_STAGE | 1);
        }
    }
    reset_to_usb_boot(0, 0);
}
