/* Texts without names of people, machines and folders. */
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <platform/process.h>

enum { NAMES_MAX = 4, NAME_CHARS = 256 };

/* Names that a report does not have. */
struct names {
    char names[NAMES_MAX][NAME_CHARS];
    size_t n;
};

static void add_name(struct names *names, const char *name)
{
    /* A short one, and root, is no name that tells anything, and may be a word. */
    if (!name || strlen(name) < 3 || strlen(name) >= NAME_CHARS || strcmp(name, "root") == 0 ||
        names->n == NAMES_MAX)
        return;
    (void)snprintf(names->names[names->n++], NAME_CHARS, "%s", name);
}

static void collect(struct names *names)
{
    char host[NAME_CHARS] = "";
    names->n = 0;
    add_name(names, pail_env("USER"));
    add_name(names, pail_env("LOGNAME"));
    if (gethostname(host, sizeof(host) - 1) == 0) {
        add_name(names, host);
        host[strcspn(host, ".")] = '\0';
        add_name(names, host);
    }
}

static bool is_of_word(char c)
{
    const int byte = (unsigned char)c;
    return isalpha(byte) != 0 || isdigit(byte) != 0 || c == '_' || c == '-';
}

/* Characters of the path that begins here; 0: none does. */
static size_t path_length(const char *text, const char *at)
{
    const bool begins = at == text || strchr(" \t\"'(=:,[", at[-1]) != NULL;
    if (!begins || *at != '/' || at[1] == '\0' || at[1] == ' ' || at[1] == '/')
        return 0;
    size_t length = strcspn(at, " \t\"',;()[]");
    while (length > 1 && (at[length - 1] == ':' || at[length - 1] == '.'))
        length--;
    return length;
}

static size_t name_length(const struct names *names, const char *text, const char *at)
{
    if (at != text && is_of_word(at[-1]))
        return 0;
    for (size_t i = 0; i < names->n; i++) {
        const size_t length = strlen(names->names[i]);
        if (strncmp(at, names->names[i], length) == 0 && !is_of_word(at[length]))
            return length;
    }
    return 0;
}

const char *pail_report_clean(char *out, size_t capacity, const char *text)
{
    struct names names;
    size_t used = 0;
    collect(&names);
    for (const char *at = text; *at != '\0' && used + 1 < capacity;) {
        const size_t path = path_length(text, at), name = name_length(&names, text, at);
        if (path == 0 && name == 0) {
            out[used++] = *at++;
            continue;
        }
        const int n = snprintf(out + used, capacity - used, "%s", path > 0 ? "(path)" : "(name)");
        used = used + (size_t)n < capacity ? used + (size_t)n : capacity - 1;
        at += path > 0 ? path : name;
    }
    if (capacity > 0)
        out[used] = '\0';
    return out;
}

/* ---- The machine ----------------------------------------------------------------------------- */

const char *pail_report_system(char out[PAIL_REPORT_SYSTEM_CHARS])
{
    struct utsname name;
    if (uname(&name) != 0)
        (void)snprintf(out, PAIL_REPORT_SYSTEM_CHARS, "unknown");
    else
        (void)snprintf(out, PAIL_REPORT_SYSTEM_CHARS, "%.60s %.60s", name.sysname, name.machine);
    return out;
}

const char *pail_report_processor(char out[PAIL_REPORT_SYSTEM_CHARS])
{
    static const char *const keys[] = {"model name", "Hardware", "cpu model"};
    char line[512];
    FILE *const file = fopen("/proc/cpuinfo", "re");
    out[0] = '\0';
    while (file && out[0] == '\0' && fgets(line, sizeof(line), file)) {
        const char *const value = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; value && i < sizeof(keys) / sizeof(keys[0]); i++)
            if (strncmp(line, keys[i], strlen(keys[i])) == 0)
                (void)snprintf(out, PAIL_REPORT_SYSTEM_CHARS, "%.100s",
                               value + 1 + strspn(value + 1, " "));
    }
    if (file)
        (void)fclose(file);
    return out;
}
