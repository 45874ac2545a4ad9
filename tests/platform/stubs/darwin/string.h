/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
#include <stddef.h>
char *strncpy(char *to, const char *from, size_t n);
int strerror_r(int error, char *text, size_t capacity);
#ifdef __STDC_WANT_LIB_EXT1__
int memset_s(void *memory, size_t capacity, int value, size_t n);
#endif
