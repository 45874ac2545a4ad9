#include "platform/pin.h"

#include <windows.h>

/* A module that was pinned stays until the process ends. There is no way back, so the first pin is
 * for good. */
void pail_pin(void)
{
    static const char here;
    HMODULE module = NULL;
    (void)GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                             &here, &module);
}

void pail_unpin(void)
{
}
