#include "platform/env.h"

#include <stdlib.h>

const char *pail_env(const char *name)
{
    return secure_getenv(name);
}
