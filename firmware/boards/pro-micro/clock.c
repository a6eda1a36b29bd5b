#include "timer0.h"
