/* Ctrl-C, for commands that have something to end in order. */
#ifndef PAIL_PLATFORM_INTERRUPT_H
#define PAIL_PLATFORM_INTERRUPT_H

#include <stdint.h>

/* From now on the first SIGINT or SIGTERM (of Windows: Ctrl-C or Ctrl-Break) sets the number that
 * is returned to the signal's, and whoever looks at it ends. A second one, and one that nobody has
 * looked at for a second, end the process as they do by themselves. */
const uint32_t *pail_interrupt_watch(void);

/* Ends the process by the signal that came, for its parent to see; returns if none came. */
void pail_interrupt_leave(void);

#endif /* PAIL_PLATFORM_INTERRUPT_H */
