/* Ctrl-C, for commands that have something to end in order. */
#ifndef PAIL_PLATFORM_INTERRUPT_H
#define PAIL_PLATFORM_INTERRUPT_H

#include <stdint.h>

/* Makes the first SIGINT or SIGTERM (on Windows: Ctrl-C or Ctrl-Break) set the number behind the
 * returned pointer to the signal's; the program polls it and ends. A second one, and one that
 * nobody has looked at for a second, end the process as they do by themselves. */
const uint32_t *pail_interrupt_watch(void);

/* Ends the process by the signal that came, for its parent to see; returns if none came. */
void pail_interrupt_leave(void);

#endif /* PAIL_PLATFORM_INTERRUPT_H */
