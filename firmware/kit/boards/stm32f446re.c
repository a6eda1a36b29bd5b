/* Nucleo-F446RE: the STM32F446ZE's die, with another serial port on the ST-LINK. */
#include "stm32f446ze.c"
