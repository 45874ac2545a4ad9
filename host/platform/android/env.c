#include "platform/env.h"

#include <stdlib.h>
#include <sys/auxv.h>

/* As secure_getenv, which Android's C library has not. */
const char *pail_env(const char *name)
{
    return getauxval(AT_SECURE) ? NULL : getenv(name);
}
