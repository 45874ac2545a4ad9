/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "child.h"

#if PAIL_COMMAND_FORKS
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <platform/clock.h>
#include <platform/process.h>

enum { LOOK_MS = 100 /* between two looks at the clock and the interrupt */, PIECE = 16384 };

bool pail_child_possible(void)
{
    return true;
}

/* ---- What it prints -------------------------------------------------------------------------- */

/* The end that is read, and what has no end of line yet. */
struct stream {
    int in; /* -1: it is at its end */
    char *bytes;
    size_t n, capacity;
    bool failed; /* no memory for it */
};

static bool has_room(struct stream *stream)
{
    if (stream->capacity - stream->n >= PIECE)
        return true;
    char *const grown = realloc(stream->bytes, stream->capacity + 2 * (size_t)PIECE);
    if (!grown)
        return false;
    stream->bytes = grown;
    stream->capacity += 2 * (size_t)PIECE;
    return true;
}

static void shut(struct stream *stream)
{
    if (stream->in >= 0)
        (void)close(stream->in);
    stream->in = -1;
}

/* Hands the whole lines on, and keeps the rest. */
static void hand_on(struct stream *stream, void (*line)(void *user, const char *line), void *user)
{
    char *at = stream->bytes;
    size_t left = stream->n;
    for (char *end; left > 0 && (end = memchr(at, '\n', left)) != NULL;) {
        *end = '\0';
        line(user, at);
        left -= (size_t)(end - at) + 1;
        at = end + 1;
    }
    if (left > 0)
        memmove(stream->bytes, at, left);
    stream->n = left;
}

/* The same of what ended without an end of line. */
static void hand_on_rest(struct stream *stream, void (*line)(void *user, const char *line),
                         void *user)
{
    if (stream->n == 0 || stream->failed || !has_room(stream))
        return;
    stream->bytes[stream->n++] = '\n';
    hand_on(stream, line, user);
}

/* Reads what is there. */
static void read_stream(struct stream *stream, void (*line)(void *user, const char *line),
                        void *user)
{
    while (stream->in >= 0) {
        if (!has_room(stream)) {
            stream->failed = true;
            shut(stream);
            break;
        }
        const ssize_t n = read(stream->in, stream->bytes + stream->n, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n <= 0)
            shut(stream);
        else
            stream->n += (size_t)n;
        hand_on(stream, line, user);
    }
}

/* The first line of this program's own, or else of a driver's. */
static void keep_first(void *user, const char *line)
{
    static const char own[] = "pail: ";
    struct pail_child_end *const end = user;
    const bool before = strncmp(end->said, own, sizeof(own) - 1) == 0;
    if (end->said[0] == '\0' || (!before && strncmp(line, own, sizeof(own) - 1) == 0))
        (void)snprintf(end->said, sizeof(end->said), "%s", line);
}

/* ---- The process ----------------------------------------------------------------------------- */

struct running {
    const struct pail_child *child;
    struct pail_child_end *end;
    pid_t pid;
    struct stream out, said;
};

/* In the child. Only what is safe after fork beside other threads. */
static void become(const char *program, char *const *words, int out, int said)
{
    if (dup2(out, STDOUT_FILENO) >= 0 && (said < 0 || dup2(said, STDERR_FILENO) >= 0))
        (void)execv(program, words);
    _exit(127);
}

/* Both ends closed in programs that are started, and the one that is read never waited for. */
static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

static void close_pipe(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            (void)close(ends[i]);
}

/* The words as execv takes them: it promises to leave the texts as they are, and its type is older
 * than const. NULL: no memory. */
static char **copy_words(const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    char **const copy = calloc(n + 1, sizeof(*copy));
    if (copy)
        memcpy(copy, words, n * sizeof(*copy));
    return copy;
}

static pail_status start(struct running *running, char *const *words, struct pail_error *error)
{
    const struct pail_child *const child = running->child;
    int out[2] = {-1, -1}, said[2] = {-1, -1};
    const char *const program = pail_program_path(); /* asked for before the fork */
    if (!open_pipe(out) || (child->hears && !open_pipe(said))) {
        const int number = errno;
        close_pipe(out);
        return pail_fail(error, PAIL_ERR_IO, "%s: no pipe: %s", child->name, strerror(number));
    }
    (void)fflush(NULL);
    running->pid = fork();
    if (running->pid == 0)
        become(program, words, out[1], said[1]);
    if (running->pid < 0) {
        const int number = errno;
        close_pipe(out);
        close_pipe(said);
        return pail_fail(error, PAIL_ERR_IO, "%s: no process: %s", child->name, strerror(number));
    }
    (void)close(out[1]);
    if (said[1] >= 0)
        (void)close(said[1]);
    running->out.in = out[0];
    running->said.in = said[0];
    return PAIL_OK;
}

static bool has_ended(struct running *running)
{
    int state = 0;
    const pid_t got = waitpid(running->pid, &state, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    running->end->exit = got < 0              ? 127
                         : WIFEXITED(state)   ? WEXITSTATUS(state)
                         : WIFSIGNALED(state) ? 128 + WTERMSIG(state)
                                              : 127;
    return true;
}

static void listen(struct running *running)
{
    struct pollfd both[] = {{.fd = running->out.in, .events = POLLIN},
                            {.fd = running->said.in, .events = POLLIN}};
    /* One that has closed its streams ends soon: another look in a moment. */
    const bool open = running->out.in >= 0 || running->said.in >= 0;
    (void)poll(both, 2, open ? LOOK_MS : 1);
    read_stream(&running->out, running->child->line, running->child->user);
    read_stream(&running->said, keep_first, running->end);
}

/* Until it has ended; what it had printed by then is read. */
static bool follow(struct running *running)
{
    const struct pail_child *const child = running->child;
    bool stopped = false, ended = false;
    while (!ended) {
        ended = has_ended(running);
        listen(running);
        if (child->tick)
            child->tick(child->user);
        if (!stopped && child->interrupt && __atomic_load_n(child->interrupt, __ATOMIC_RELAXED)) {
            stopped = true;
            pail_interrupt_hold();
        }
        const bool late = child->deadline_ms > 0 && pail_now_ms() >= child->deadline_ms;
        if (!ended && (stopped || late || running->out.failed)) {
            running->end->late = running->end->late || (late && !stopped);
            (void)kill(running->pid, SIGKILL);
        }
    }
    return stopped;
}

pail_status pail_child_run(struct pail_child_end *end, const struct pail_child *child,
                           struct pail_error *error)
{
    struct running running = {.child = child, .end = end, .out = {.in = -1}, .said = {.in = -1}};
    *end = (struct pail_child_end){0};
    char **const words = copy_words(child->words);
    if (!words)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for its words", child->name);
    const pail_status status = start(&running, words, error);
    free(words);
    if (status != PAIL_OK)
        return status;
    const bool stopped = follow(&running);
    hand_on_rest(&running.out, child->line, child->user);
    hand_on_rest(&running.said, keep_first, end);
    const bool no_memory = running.out.failed || running.said.failed;
    shut(&running.out);
    shut(&running.said);
    free(running.out.bytes);
    free(running.said.bytes);
    if (stopped)
        return pail_fail(error, PAIL_ERR_STOPPED, "%s: interrupted", child->name);
    if (no_memory)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for a line", child->name);
    return PAIL_OK;
}

#else /* no process can be started from this one as POSIX does */

bool pail_child_possible(void)
{
    return false;
}

pail_status pail_child_run(struct pail_child_end *end, const struct pail_child *child,
                           struct pail_error *error)
{
    *end = (struct pail_child_end){0};
    return pail_fail(error, PAIL_ERR_UNSUPPORTED, "%s: this system starts no such process",
                     child->name);
}

#endif
