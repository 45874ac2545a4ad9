/* Memory that held a secret: scalars are witnesses. */
#ifndef PAIL_PLATFORM_WIPE_H
#define PAIL_PLATFORM_WIPE_H

#include <stddef.h>

/* Fills memory with zeros in a way that no compiler leaves out. memory may be NULL when bytes is 0.
 */
void pail_wipe(void *memory, size_t bytes);

/* Fills the 8 KiB of stack below the caller with zeros: functions that it called and that have
 * returned have left there what they worked with. */
void pail_wipe_stack(void);

#endif /* PAIL_PLATFORM_WIPE_H */
