#include "../lm3s6965evb/vectors.c"
