/* The LX106: see there. */
#include "call0.S"
