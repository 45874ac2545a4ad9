/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
#include <stddef.h>
int sysctlbyname(const char *name, void *old, size_t *old_bytes, void *new_value, size_t new_bytes);
