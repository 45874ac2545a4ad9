#include "platform/interrupt.h"

#include <windows.h>

#include <signal.h>

static uint32_t came; /* read by atomic operations */

/* Runs in a thread of its own. FALSE: the system ends the process. */
static BOOL WINAPI take(DWORD event)
{
    uint32_t none = 0;
    if ((event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) ||
        !__atomic_compare_exchange_n(&came, &none, SIGINT, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return FALSE;
    Sleep(1000); /* a wait for a device does not poll */
    return FALSE;
}

const uint32_t *pail_interrupt_watch(void)
{
    (void)SetConsoleCtrlHandler(take, TRUE);
    return &came;
}

void pail_interrupt_leave(void)
{
    if (__atomic_load_n(&came, __ATOMIC_RELAXED))
        ExitProcess((UINT)STATUS_CONTROL_C_EXIT);
}
