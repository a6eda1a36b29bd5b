/* The die is the STM32F446ZE's, in a smaller package. */
#include "../stm32f446ze/vectors.c"
