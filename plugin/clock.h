/* Time that passes. */
#ifndef PAIL_PLUGIN_CLOCK_H
#define PAIL_PLUGIN_CLOCK_H

/* Milliseconds since some moment. */
double pail_now_ms(void);

#endif /* PAIL_PLUGIN_CLOCK_H */
