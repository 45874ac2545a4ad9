/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
#include <stddef.h>
int getentropy(void *memory, size_t bytes);
