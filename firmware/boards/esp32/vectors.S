/* The LX6: see there. */
#include "windowed.S"
