#include "micros.h"
