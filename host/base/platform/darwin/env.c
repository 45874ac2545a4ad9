#include "platform/env.h"

#include <stdlib.h>
#include <unistd.h>

const char *pail_env(const char *name)
{
    return issetugid() ? NULL : getenv(name);
}
