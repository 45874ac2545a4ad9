/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "process/child.h"
#include "warmup.h"

enum { ARGUMENTS_MAX = 5 + 2 * PAIL_WARM_ROWS };

struct arguments {
    const char *texts[ARGUMENTS_MAX]; /* up to a NULL */
    size_t n;
    char names[PAIL_WARM_ROWS][24];
};

/* Puts the command line together: the given options without --verify and the files that were moved,
 * with --expect-hits and --json. */
static void make_command_line(struct arguments *arguments, const struct pail_warm_options *options)
{
    static const char *const first[] = {"pail", "warmup", "--expect-hits", "--json"};
    *arguments = (struct arguments){.n = sizeof(first) / sizeof(first[0])};
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

struct summary {
    struct pail_warm_fresh *fresh;
    bool found;
};

/* The members of a summary; other lines are passed over. */
static void read_line(void *user, const char *line)
{
    struct summary *const summary = user;
    json_t *const row = json_loads(line, 0, NULL);
    const char *const event = json_string_value(json_object_get(row, "ev"));
    if (event && strcmp(event, "summary") == 0) {
        const json_int_t compiled = json_integer_value(json_object_get(row, "compiled"));
        summary->found = true;
        summary->fresh->compiled = (uint64_t)compiled;
        summary->fresh->pipelines =
            (uint64_t)(compiled + json_integer_value(json_object_get(row, "memory")) +
                       json_integer_value(json_object_get(row, "disk")));
    }
    json_decref(row);
}

pail_status pail_warm_verify(struct pail_warm_fresh *fresh, const struct pail_warm_options *options,
                             struct pail_error *error)
{
    *fresh = (struct pail_warm_fresh){0};
    if (!pail_child_possible())
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "--verify: there is no fresh process on this system; run pail warmup "
                         "--expect-hits");
    struct arguments arguments;
    struct summary summary = {.fresh = fresh};
    struct pail_child_end end;
    make_command_line(&arguments, options);
    const struct pail_child child = {
        .name = "--verify", .words = arguments.texts, .line = read_line, .user = &summary};
    if (pail_child_run(&end, &child, error) != PAIL_OK)
        return error->status;
    fresh->exit = end.exit;
    if (!summary.found)
        return pail_fail(error, end.exit == 127 ? PAIL_ERR_IO : PAIL_ERR_INTERNAL,
                         "--verify: the fresh process ended with status %d and no summary",
                         end.exit);
    return PAIL_OK;
}
