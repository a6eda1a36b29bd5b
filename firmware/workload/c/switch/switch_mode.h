/* Turns the build's choice of mode (-DMODE_PLAIN and the like) into constants; switch.h says what the modes are. */
#ifndef CYCLESCOPE_SWITCH_MODE_H
#define CYCLESCOPE_SWITCH_MODE_H

#if defined(MODE_PLAIN) + defined(MODE_PROFILED) + defined(MODE_USB) + defined(MODE_USB_PROFILED) + defined(MODE_160MHZ) + \
        defined(MODE_160MHZ_PROFILED) != 1
#error "define exactly one of MODE_PLAIN, MODE_PROFILED, and these of other boards: MODE_USB, MODE_160MHZ, each with _PROFILED"
#endif

#if defined(MODE_PLAIN)
#define SWITCH_MODE "plain"
#define SWITCH_PROFILED 0
#elif defined(MODE_PROFILED)
#define SWITCH_MODE "profiled"
#define SWITCH_PROFILED 1
#elif defined(MODE_USB)
#define SWITCH_MODE "usb"
#define SWITCH_PROFILED 0
#elif defined(MODE_USB_PROFILED)
#define SWITCH_MODE "usb-profiled"
#define SWITCH_PROFILED 1
#elif defined(MODE_160MHZ)
#define SWITCH_MODE "160mhz"
#define SWITCH_PROFILED 0
#else
#define SWITCH_MODE "160mhz-profiled"
#define SWITCH_PROFILED 1
#endif

#endif
