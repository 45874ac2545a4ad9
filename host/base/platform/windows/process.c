/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/process.h"

#include "system.h"

#include <fcntl.h>
#include <io.h>
#include <pthread.h>
#include <shellapi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No process has the memory of another: there is no fork. */
uint64_t pail_process(void)
{
    return GetCurrentProcessId() | UINT64_C(1) << 63;
}

bool pail_process_is_first(void)
{
    return true;
}

/* Earlier answers: the texts live as long as the process. */
struct answer {
    struct answer *next;
    char *text;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct answer *answers;

/* Takes the text over. NULL: no memory. */
static const char *keep(char *text)
{
    const char *kept = NULL;
    pthread_mutex_lock(&mutex);
    for (const struct answer *at = answers; at && !kept; at = at->next)
        if (strcmp(at->text, text) == 0)
            kept = at->text;
    struct answer *const more = kept ? NULL : malloc(sizeof(*more));
    if (more) {
        *more = (struct answer){.next = answers, .text = text};
        answers = more;
        kept = text;
    } else {
        free(text);
    }
    pthread_mutex_unlock(&mutex);
    return kept;
}

/* Windows has no set-user-ID programs, so every variable may be read. The C library's own copy of
 * the environment is not in UTF-8. */
const char *pail_env(const char *name)
{
    wchar_t wide[PAIL_WIDE_PATH], value[PAIL_WIDE_PATH];
    if (!pail_wide(wide, name))
        return NULL;
    SetLastError(ERROR_SUCCESS);
    const DWORD n = GetEnvironmentVariableW(wide, value, PAIL_WIDE_PATH);
    if (n >= PAIL_WIDE_PATH || (n == 0 && GetLastError() != ERROR_SUCCESS))
        return NULL;
    if (n == 0)
        value[0] = L'\0';
    char *const text = pail_narrow(value);
    return text ? keep(text) : NULL;
}

/* The C library's words for the command line are in another code than UTF-8. */
static void take_arguments(int *argc, char ***argv)
{
    int n = 0;
    wchar_t **const words = CommandLineToArgvW(GetCommandLineW(), &n);
    char **const texts = words ? calloc((size_t)n + 1, sizeof(*texts)) : NULL;
    bool good = texts != NULL;
    for (int i = 0; i < n && good; i++)
        good = (texts[i] = pail_narrow(words[i])) != NULL;
    (void)LocalFree(words);
    if (!good)
        return; /* there is no memory: the next call will find that too */
    *argc = n;
    *argv = texts;
}

void pail_program_begin(int *argc, char ***argv)
{
    (void)_setmode(_fileno(stdin), _O_BINARY);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    (void)SetConsoleOutputCP(CP_UTF8);
    take_arguments(argc, argv);
}

/* Threads get what the linker wrote into the program, too. */
void pail_program_thread_stack(unsigned long long bytes)
{
    (void)bytes;
}

/* The first thread's stack is what the linker wrote into the program: 2 MiB and more. */
unsigned long long pail_program_stack(void)
{
    return 0;
}

static uint32_t came, held; /* read by atomic operations */

/* Runs in a thread of its own. FALSE: the system ends the process. */
static BOOL WINAPI take(DWORD event)
{
    uint32_t none = 0;
    if ((event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) ||
        !__atomic_compare_exchange_n(&came, &none, SIGINT, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return FALSE;
    Sleep(1000); /* a wait for a device does not poll */
    return __atomic_load_n(&held, __ATOMIC_RELAXED) != 0;
}

const uint32_t *pail_interrupt_watch(void)
{
    (void)SetConsoleCtrlHandler(take, TRUE);
    return &came;
}

void pail_interrupt_hold(void)
{
    __atomic_store_n(&held, 1, __ATOMIC_RELAXED);
}

void pail_interrupt_leave(void)
{
    if (__atomic_load_n(&came, __ATOMIC_RELAXED))
        ExitProcess((UINT)STATUS_CONTROL_C_EXIT);
}

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

void pail_keep_loaded(const char *symbol)
{
    (void)symbol;
}
