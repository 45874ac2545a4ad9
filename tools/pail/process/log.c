#include "log.h"

#include <stdio.h>

#include <platform/text.h>

static void write_line(void *user, pail_log_level level, const char *message)
{
    (void)user;
    static const char *const names[] = {"", "error", "warning", "info", "debug"};
    const char *const name =
        level >= PAIL_LOG_ERROR && level <= PAIL_LOG_DEBUG ? names[level] : "log";
    (void)pail_print(stderr, "pail: %s: %s\n", name, message);
}

static void choose_line(void *user, pail_log_level level, const char *message)
{
    const struct pail_log *const log = user;
    if (log->verbose || (log->warnings && level == PAIL_LOG_WARNING))
        write_line(NULL, level, message);
}

pail_host pail_log_host(bool verbose)
{
    return (pail_host){
        .struct_size = sizeof(pail_host),
        .abi_major = PAIL_ABI_MAJOR,
        .abi_minor = PAIL_ABI_MINOR,
        /* A failure comes back as a status with its sentence: a line as well would say it twice. */
        .log = verbose ? write_line : NULL,
    };
}

pail_host pail_log_host_of(struct pail_log *log)
{
    pail_host host = pail_log_host(true);
    host.user = log;
    host.log = choose_line;
    return host;
}
