/* Uses files by semihosting (Arm IHI 0100) and writes what comes of it, for the Cortex-M3 of cyclescope's chip cortex-m3 and of
 * QEMU's lm3s6965evb, which both have flash at 0 and RAM at 0x20000000. It finds a folder `sub` beside its files. */

enum {
    SYS_OPEN = 0x01, SYS_CLOSE = 0x02, SYS_WRITE0 = 0x04, SYS_WRITE = 0x05, SYS_READ = 0x06, SYS_ISERROR = 0x08,
    SYS_ISTTY = 0x09, SYS_SEEK = 0x0A, SYS_FLEN = 0x0C, SYS_TMPNAM = 0x0D, SYS_REMOVE = 0x0E, SYS_RENAME = 0x0F,
    SYS_ERRNO = 0x13, SYS_EXIT = 0x18,
};

static int call(int operation, const void *argument) {
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static int length(const char *text) {
    int count = 0;
    while (text[count] != 0) count += 1;
    return count;
}

static int call4(int operation, unsigned a, unsigned b, unsigned c, unsigned d) {
    unsigned block[4] = {a, b, c, d};
    return call(operation, block);
}

static void text(const char *words) { call(SYS_WRITE0, words); }

static void number(int value) {
    char digits[12];
    int at = 11;
    unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) digits[--at] = '-';
    text(" ");
    text(digits + at);
}

static void said(const char *words, int value) {
    text(words);
    number(value);
    text("\n");
}

static int open(const char *name, int mode) {
    return call4(SYS_OPEN, (unsigned)name, (unsigned)mode, (unsigned)length(name), 0);
}
static int closed(int handle) { return call4(SYS_CLOSE, (unsigned)handle, 0, 0, 0); }
static int wrote(int handle, const char *words) {
    return call4(SYS_WRITE, (unsigned)handle, (unsigned)words, (unsigned)length(words), 0);
}
static int seek(int handle, unsigned at) { return call4(SYS_SEEK, (unsigned)handle, at, 0, 0); }
static int flen(int handle) { return call4(SYS_FLEN, (unsigned)handle, 0, 0, 0); }
static int removed(const char *name) { return call4(SYS_REMOVE, (unsigned)name, (unsigned)length(name), 0, 0); }
static int renamed(const char *from, const char *to) {
    return call4(SYS_RENAME, (unsigned)from, (unsigned)length(from), (unsigned)to, (unsigned)length(to));
}

/* Reads up to 16 bytes, and writes how many of them did not come and what came. */
static void reads(int handle) {
    char buffer[17];
    int left = call4(SYS_READ, (unsigned)handle, (unsigned)buffer, 16, 0);
    buffer[left >= 0 && left <= 16 ? 16 - left : 0] = 0;
    text("  read, left");
    number(left);
    text(" [");
    text(buffer);
    text("]\n");
}

static void failed(const char *words, int result) {
    text(words);
    number(result);
    said(", errno", call(SYS_ERRNO, 0));
}

static void start(void) {
    /* All modes, on a file that is there and on one that is not. */
    for (int mode = 0; mode < 12; mode += 1) {
        said("mode", mode);
        removed("new");
        int handle = open("new", mode);
        said("  opens what is not there", handle > 0);
        if (handle > 0) closed(handle);
        handle = open("file", 4);
        wrote(handle, "abcdef");
        closed(handle);
        handle = open("file", mode);
        said("  length", flen(handle));
        reads(handle);
        /* QEMU 7.2 does not append by itself, so that the end is sought. In an emptied file, 2 is beyond the end. */
        said("  seek", seek(handle, mode < 8 ? 2 : (unsigned)flen(handle)));
        said("  write, left", wrote(handle, "XY"));
        said("  seek", seek(handle, 0));
        reads(handle);
        reads(handle);
        said("  terminal", call4(SYS_ISTTY, (unsigned)handle, 0, 0, 0));
        said("  close", closed(handle));
        handle = open("file", 1);
        reads(handle);
        closed(handle);
    }
    removed("new");
    failed("open of nothing", open("new", 0));
    failed("remove of nothing", removed("new"));
    failed("rename of nothing", renamed("new", "old"));
    failed("close of nothing", closed(77));
    failed("length of nothing", flen(77));
    failed("seek in nothing", seek(77, 0));
    failed("write into a folder", open("sub", 4));
    failed("open below a file", open("file/below", 0));
    failed("open below nothing", open("nothing/below", 4));
    said("errors", call4(SYS_ISERROR, (unsigned)-1, 0, 0, 0));
    said("no errors", call4(SYS_ISERROR, 5, 0, 0, 0));
    said("rename", renamed("file", "sub/moved"));
    failed("it is gone", open("file", 0));
    int handle = open("sub/moved", 0);
    reads(handle);
    closed(handle);
    said("remove", removed("sub/moved"));
    failed("it is gone", removed("sub/moved"));
    handle = open(":semihosting-features", 0);
    said("features", flen(handle));
    reads(handle);
    said("seek", seek(handle, 4));
    reads(handle);
    closed(handle);
    char name[64];
    said("temporary name", call4(SYS_TMPNAM, (unsigned)name, 3, sizeof name, 0));
    said("is not empty", length(name) > 0);
    said("no room for one", call4(SYS_TMPNAM, (unsigned)name, 3, 2, 0));
    call(SYS_EXIT, (void *)0x20026);
}

__attribute__((section(".vectors"), used)) static const void *const VECTORS[] = {(void *)0x20008000, start};
