#include "platform/env.h"

#include "system.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
