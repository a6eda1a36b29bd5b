/* One SEGGER RTT up-buffer, for programs that report over the debug probe. */
#ifndef CYCLESCOPE_RTT_H
#define CYCLESCOPE_RTT_H

/** Bytes of the up-buffer. One is always free, so 1023 fit: more than the 600 a primes report takes, so that no
 * probe needs to be attached for the whole report to stand in RAM. */
#define RTT_UP_BYTES 1024u

/** Makes the control block valid. Until then its identifier is empty, as the protocol wants it. */
void rtt_init(void);

/** Appends a NUL-terminated text to up-buffer 0; what does not fit is dropped, as mode NO_BLOCK_TRIM says. */
void rtt_write(const char *text);

#endif
