/* What Apple documents of it (manual pages of macOS), as far as host/platform/darwin asks: for the
 * compiler alone. */
enum { RTLD_LAZY = 1, RTLD_NOLOAD = 0x10, RTLD_NODELETE = 0x80 };
typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
int dladdr(const void *address, Dl_info *info);
void *dlopen(const char *path, int mode);
int dlclose(void *handle);
