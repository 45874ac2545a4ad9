#include "platform/process.h"

#include <windows.h>

/* No process has the memory of another: there is no fork. */
uint64_t pail_process(void)
{
    return GetCurrentProcessId() | UINT64_C(1) << 63;
}

bool pail_process_is_first(void)
{
    return true;
}
