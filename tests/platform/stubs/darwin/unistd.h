/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
enum { _SC_NPROCESSORS_ONLN = 58 };
int issetugid(void);
int getpid(void);
long sysconf(int name);
