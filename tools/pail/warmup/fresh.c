#define _POSIX_C_SOURCE 200809L

#include "warmup.h"

#if PAIL_COMMAND_FORKS
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include <platform/process.h>

enum { ARGUMENTS_MAX = 4 + 2 * PAIL_WARM_ROWS, LINE_MAX_CHARS = 65536 };

struct arguments {
    const char *program; /* asked for before the fork */
    const char *texts[ARGUMENTS_MAX];
    size_t n;
    char names[PAIL_WARM_ROWS][24];
};

/* Puts the command line together: the given options without --verify and the files that were moved,
 * with --expect-hits and --json. */
static void make_command_line(struct arguments *arguments, const struct pail_warm_options *options)
{
    static const char *const first[] = {"pail", "warmup", "--expect-hits", "--json"};
    *arguments =
        (struct arguments){.program = pail_program_path(), .n = sizeof(first) / sizeof(first[0])};
    memcpy(arguments->texts, first, sizeof(first));
    for (size_t i = 0; i < PAIL_WARM_ROWS; i++) {
        const struct pail_option *const row = &pail_warm_rows[i];
        const char *const member = (const char *)options + row->offset;
        const char *text = NULL;
        const bool left_out = !row->name || strcmp(row->name, "verify") == 0 ||
                              strcmp(row->name, "export") == 0 || strcmp(row->name, "import") == 0;
        if (row->kind == PAIL_OPTION_TEXT)
            memcpy(&text, member, sizeof(text));
        if (left_out || (row->kind == PAIL_OPTION_TEXT ? text == NULL : !*(const bool *)member))
            continue;
        char *const name = arguments->names[i];
        (void)snprintf(name, sizeof(arguments->names[i]), "--%s", row->name);
        arguments->texts[arguments->n++] = name;
        if (text)
            arguments->texts[arguments->n++] = text;
    }
}

/* In the child. Only what is safe after fork beside other threads. */
static void become(const struct arguments *arguments, int out)
{
    /* execv promises to leave the texts as they are; its type is older than const. */
    char *argv[ARGUMENTS_MAX + 1] = {0};
    memcpy(argv, arguments->texts, arguments->n * sizeof(argv[0]));
    if (dup2(out, STDOUT_FILENO) >= 0)
        (void)execv(arguments->program, argv);
    _exit(127);
}

/* The members of a summary; other lines are passed over. */
static void read_line(struct pail_warm_fresh *fresh, bool *found, const char *line)
{
    json_t *const row = json_loads(line, 0, NULL);
    const char *const event = json_string_value(json_object_get(row, "ev"));
    if (event && strcmp(event, "summary") == 0) {
        const json_int_t compiled = json_integer_value(json_object_get(row, "compiled"));
        *found = true;
        fresh->compiled = (uint64_t)compiled;
        fresh->pipelines =
            (uint64_t)(compiled + json_integer_value(json_object_get(row, "memory")) +
                       json_integer_value(json_object_get(row, "disk")));
    }
    json_decref(row);
}

static bool read_lines(struct pail_warm_fresh *fresh, int in)
{
    bool found = false;
    FILE *const lines = fdopen(in, "r");
    char *line = malloc(LINE_MAX_CHARS);
    while (lines && line && fgets(line, LINE_MAX_CHARS, lines))
        read_line(fresh, &found, line);
    free(line);
    if (lines)
        (void)fclose(lines);
    else
        (void)close(in);
    return found;
}

pail_status pail_warm_verify(struct pail_warm_fresh *fresh, const struct pail_warm_options *options,
                             struct pail_error *error)
{
    *fresh = (struct pail_warm_fresh){0};
    struct arguments arguments;
    make_command_line(&arguments, options);
    int ends[2];
    if (pipe(ends) != 0)
        return pail_fail(error, PAIL_ERR_IO, "--verify: no pipe: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become(&arguments, ends[1]);
    (void)close(ends[1]);
    if (child < 0) {
        (void)close(ends[0]);
        return pail_fail(error, PAIL_ERR_IO, "--verify: no fresh process: %s", strerror(errno));
    }
    const bool found = read_lines(fresh, ends[0]);
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    fresh->exit = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (!found)
        return pail_fail(error, fresh->exit == 127 ? PAIL_ERR_IO : PAIL_ERR_INTERNAL,
                         "--verify: the fresh process ended with status %d and no summary",
                         fresh->exit);
    return PAIL_OK;
}

#else /* no process can be started from this one as POSIX does */

pail_status pail_warm_verify(struct pail_warm_fresh *fresh, const struct pail_warm_options *options,
                             struct pail_error *error)
{
    (void)options;
    *fresh = (struct pail_warm_fresh){0};
    return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                     "--verify: there is no fresh process on this system; run pail warmup "
                     "--expect-hits");
}

#endif
