#include "platform/pin.h"

#include <dlfcn.h>
#include <stddef.h>

/* The first pin is for good: an object that has run threads is not unmapped any more. */
void pail_pin(void)
{
    static const char here;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname)
        return;
    void *handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle)
        (void)dlclose(handle);
}

void pail_unpin(void)
{
}
