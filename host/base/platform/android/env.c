#include "platform/env.h"

#include <stdlib.h>
#include <sys/auxv.h>

/* Same as secure_getenv, which Android's C library lacks. */
const char *pail_env(const char *name)
{
    return getauxval(AT_SECURE) ? NULL : getenv(name);
}
