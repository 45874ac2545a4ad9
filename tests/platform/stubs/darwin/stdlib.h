/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
#include <stddef.h>
char *getenv(const char *name);
void *malloc(size_t size);
void free(void *memory);
