#include "platform/program.h"

#include "system.h"

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>

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
