/* The port of the host tests: critical sections that count themselves. Included by -include. */
extern unsigned critical_entered, critical_left;
#define EVL_CRITICAL_ENTER() (critical_entered++)
#define EVL_CRITICAL_EXIT(saved) ((void)(saved), (void)critical_left++)
