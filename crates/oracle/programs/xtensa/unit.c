// Single precision by the floating-point unit: what GCC calls by these names.
#include <stdint.h>

#define TWO "float_one 5, f1, %1\n\tfloat_one 5, f2, %2\n\t"
#define RESULT "float_one 4, %0, f0"

#define ARITHMETIC(name, instructions)                                                       \
  float name(float a, float b)                                                               \
  {                                                                                          \
    float result;                                                                            \
    __asm__ volatile(TWO instructions RESULT : "=a"(result) : "a"(a), "a"(b));               \
    return result;                                                                           \
  }

float __addsf3(float a, float b);
float __subsf3(float a, float b);
float __mulsf3(float a, float b);
float __divsf3(float a, float b);

ARITHMETIC(__addsf3, "float_three 0, f0, f1, f2\n\t")
ARITHMETIC(__subsf3, "float_three 1, f0, f1, f2\n\t")
ARITHMETIC(__mulsf3, "float_three 2, f0, f1, f2\n\t")

// The sequence of the compiler's library: f1 by f2. Between the two symbols QEMU has other values in the unit's registers.
ARITHMETIC(__divsf3, ".global loose_begin, loose_end\n"
                     "loose_begin: float_one 7, f3, f2\n\t"
                     "float_one 11, f4, f2\n\t"
                     "float_constant f5, 1\n\t"
                     "float_three 6, f5, f4, f3\n\t"
                     "float_one 0, f6, f3\n\t"
                     "float_one 0, f7, f2\n\t"
                     "float_one 11, f2, f1\n\t"
                     "float_three 6, f6, f5, f6\n\t"
                     "float_constant f5, 1\n\t"
                     "float_constant f0, 0\n\t"
                     "float_one 6, f8, f2\n\t"
                     "float_three 6, f5, f4, f6\n\t"
                     "float_three 6, f0, f8, f3\n\t"
                     "float_one 13, f7, f1\n\t"
                     "float_three 6, f6, f5, f6\n\t"
                     "float_three 6, f8, f4, f0\n\t"
                     "float_constant f3, 1\n\t"
                     "float_three 6, f3, f4, f6\n\t"
                     "float_three 6, f0, f8, f6\n\t"
                     "float_one 6, f2, f2\n\t"
                     "float_three 6, f6, f3, f6\n\t"
                     "float_three 6, f2, f4, f0\n\t"
                     "float_one 15, f0, f7\n\t"
                     "float_one 14, f6, f7\n\t"
                     "float_three 7, f0, f2, f6\n\t"
                     ".irp register, f1, f2, f3, f4, f5, f6, f7, f8\n\t"
                     "float_one 5, \\register, %1\n\t"
                     ".endr\n"
                     "loose_end: ")

#define INTEGER(name, to, from, before, instruction, behind)                                                   \
  to name(from value);                                                                                         \
  to name(from value)                                                                                          \
  {                                                                                                            \
    to result;                                                                                                 \
    __asm__ volatile(before instruction behind : "=a"(result) : "a"(value));                                   \
    return result;                                                                                             \
  }

INTEGER(__floatsisf, float, int32_t, "", "float_integer 12, f0, %1, 0\n\t", RESULT)
INTEGER(__floatunsisf, float, uint32_t, "", "float_integer 13, f0, %1, 0\n\t", RESULT)
INTEGER(__fixsfsi, int32_t, float, "float_one 5, f0, %1\n\t", "float_integer 9, %0, f0, 0", "")
INTEGER(__fixunssfsi, uint32_t, float, "float_one 5, f0, %1\n\t", "float_integer 14, %0, f0, 0", "")

#define COMPARISON(name, number, s, t, result)                                                                 \
  int name(float a, float b);                                                                                  \
  int name(float a, float b)                                                                                   \
  {                                                                                                            \
    int is;                                                                                                    \
    __asm__ volatile(TWO "float_compare " #number ", %0, %3, " #s ", " #t : "=&a"(is) : "a"(a), "a"(b), "a"(1)); \
    return result;                                                                                             \
  }

COMPARISON(__eqsf2, 2, f1, f2, !is)
COMPARISON(__nesf2, 2, f1, f2, !is)
COMPARISON(__ltsf2, 4, f1, f2, -is)
COMPARISON(__lesf2, 6, f1, f2, !is)
COMPARISON(__gtsf2, 4, f2, f1, is)
COMPARISON(__gesf2, 6, f2, f1, is - 1)
