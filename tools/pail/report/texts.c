/* SPDX-License-Identifier: Apache-2.0 */
/* Texts without names of people, machines and folders. */
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <platform/process.h>
#include <platform/text.h>

enum { NAMES_MAX = 6, NAME_CHARS = 256, FOLDERS = 2, TEXT_CHARS = 4096 };

/* Names that a report does not have. */
struct names {
    char names[NAMES_MAX][NAME_CHARS];
    size_t n;
    /* Folders that may have blanks in their names; NULL: it is not set. */
    const char *folders[FOLDERS];
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
    char host[NAME_CHARS] = "", room[2048];
    struct passwd entry, *found = NULL;
    names->n = 0;
    names->folders[0] = pail_env("HOME");
    names->folders[1] = pail_env("TMPDIR");
    add_name(names, pail_env("USER"));
    add_name(names, pail_env("LOGNAME"));
    add_name(names, pail_env("SUDO_USER")); /* the others are root's then */
    if (getpwuid_r(getuid(), &entry, room, sizeof(room), &found) == 0 && found)
        add_name(names, found->pw_name); /* services and containers set none of them */
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

/* True for the letter of an option such as -I, which a path may follow. */
static bool is_option(const char *text, const char *at)
{
    return at - text >= 2 && isalpha((unsigned char)at[-1]) && at[-2] == '-' &&
           (at - text == 2 || !is_of_word(at[-3]));
}

/* Characters of the folder of the environment that stands here; 0: none does. */
static size_t folder_length(const struct names *names, const char *at)
{
    for (size_t i = 0; i < FOLDERS; i++) {
        const char *const folder = names->folders[i];
        const size_t length = folder ? strlen(folder) : 0;
        if (length > 2 && folder[0] == '/' && strncmp(at, folder, length) == 0 &&
            (folder[length - 1] == '/' || !is_of_word(at[length])))
            return length;
    }
    return 0;
}

/* Characters of the path that begins here; 0: none does. */
static size_t path_length(const struct names *names, const char *text, const char *at)
{
    static const char ends[] = " \t\"'`,;()[]<>";
    const size_t folder = folder_length(names, at);
    const bool begins = at == text || (!is_of_word(at[-1]) && at[-1] != '.') || is_option(text, at);
    if (folder == 0 && (!begins || *at != '/' || strchr(ends, at[strspn(at, "/")])))
        return 0;
    size_t length = folder + strcspn(at + folder, ends);
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
    static const char *const words[] = {"(name)", "(path)"};
    struct names names;
    char clean[TEXT_CHARS]; /* more than any capacity: it is cut between characters, below */
    size_t used = 0;
    collect(&names);
    for (const char *at = text; *at != '\0' && used + sizeof("(name)") < sizeof(clean);) {
        const size_t path = path_length(&names, text, at), name = name_length(&names, text, at);
        if (path == 0 && name == 0) {
            clean[used++] = *at++;
            continue;
        }
        memcpy(clean + used, words[path > 0], strlen(words[path > 0]));
        used += strlen(words[path > 0]);
        at += path > 0 ? path : name;
    }
    (void)pail_quote(out, capacity, clean, used);
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
