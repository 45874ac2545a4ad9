/* `pail adstack`: what the sizing of history stacks makes of a kernel. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/text.h>

#include "commands.h"
#include "error/exit.h"
#include "eval.h"
#include "output/json.h"
#include "process/log.h"
#include <curves/registry_id.h>
#include <platform/process.h>

struct id_options {
    bool json;
};

static const struct pail_option id_rows[] = {
    {.argument = "NAME", .kind = PAIL_OPTION_WORDS, .help = "name of the kernel: any text"},
    {.argument = "TASK",
     .kind = PAIL_OPTION_WORDS,
     .help = "a whole number of 32 bits, which may be negative"},
    {PAIL_FLAG(struct id_options, json, "json", "print one JSON object")},
};

/* A decimal number of 32 bits. */
static bool read_task(int32_t *task, const char *text)
{
    const char *const digits = text + (text[0] == '-');
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return false;
    errno = 0;
    const long long number = strtoll(text, NULL, 10);
    *task = (int32_t)number;
    return errno == 0 && number >= INT32_MIN && number <= INT32_MAX;
}

static void run_id(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct id_options *const options = given;
    int32_t task;
    if (call->n != 2) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "a name and the number of a task are needed; see pail adstack id --help");
        return;
    }
    if (!read_task(&task, call->words[1])) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "invalid value \"%s\" of TASK, expected a whole number from %" PRId32
                        " to %" PRId32,
                        call->words[1], INT32_MIN, INT32_MAX);
        return;
    }
    const char *const name = call->words[0];
    const uint32_t id = pail_registry_id(name, strlen(name), (uint32_t)task);
    if (!options->json) {
        (void)pail_print(stdout, "%08" PRIx32 "\n", id);
        return;
    }
    struct pail_json object;
    pail_json_begin(&object);
    pail_json_set_text(&object, "name", name);
    pail_json_set(&object, "task", json_integer(task));
    pail_json_set(&object, "id", json_sprintf("%08" PRIx32, id));
    pail_json_set_number(&object, "number", id);
    (void)pail_json_print(stdout, &object, error);
}

const struct pail_command pail_adstack_id_command = {
    .name = "adstack id",
    .summary = "print the registry id of a kernel's task",
    .usage = "NAME TASK [--json]",
    .text = "Prints the registry id of a kernel's task, 8 hexadecimal digits: generated code "
            "reports overflows of history stacks with it (docs/adstack.md). No device is needed. "
            "If another kernel has registered the id before, the next free one is used.",
    .parts = {{PAIL_PART(id_rows)}},
    .any_words = true,
    .size = sizeof(struct id_options),
    .run = run_id,
};

/* ---- eval ----------------------------------------------------------------------------------- */
/* Settles the command's error by the answers of the ways. */
static void conclude(const struct pail_sizing_run *run, struct pail_error *error)
{
    const char *const path = run->made->path;
    if (run->difference[0] != '\0')
        pail_differs(error, "%s: %s", path, run->difference);
    for (int way = 0; way < PAIL_WAYS && pail_exit_of(error) == PAIL_EXIT_OK; way++) {
        const struct pail_error *const one = &run->answers[way].error;
        if (run->answers[way].asked && one->status != PAIL_OK)
            (void)pail_fail(error, one->status, "%s: %s: %s", path, pail_sizing_way_names[way],
                            one->sentence);
    }
}

static pail_status evaluate(struct pail_sizing_run *run, struct pail_sizing_case *made,
                            struct pail_session *session, const pail_registry *registry,
                            const struct pail_sizing_options *options, struct pail_error *error)
{
    pail_status status = pail_session_open(session, registry, &options->session, error);
    if (status == PAIL_OK)
        status = pail_sizing_evaluate(run, made, session, options, error);
    if (status == PAIL_OK && options->json)
        return pail_sizing_print_json(stdout, run, error);
    if (status == PAIL_OK)
        pail_sizing_print(stdout, run);
    return status;
}

void pail_sizing_run_eval(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct pail_sizing_options *const options = given;
    struct pail_sizing_case made = {0};
    struct pail_sizing_run run = {0};
    struct pail_session session = {0};
    pail_registry *registry = NULL;
    const pail_host host = pail_log_host(options->verbose);
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &host, .backend = options->session.backend};
    pail_status status = pail_sizing_options_check(options, call, error);
    if (status == PAIL_OK)
        status = pail_sizing_case_read(&made, options->file, error);
    if (status == PAIL_OK && options->nodes) {
        (void)pail_sizing_print_nodes(stdout, &made, error);
    } else if (status == PAIL_OK) {
        status = pail_told(error, pail_registry_create(&registry, &params, PAIL_SENTENCE(error)));
        options->cancel = pail_interrupt_watch();
        if (status == PAIL_OK &&
            evaluate(&run, &made, &session, registry, options, error) == PAIL_OK)
            conclude(&run, error);
    }
    pail_session_close(&session);
    pail_registry_destroy(&registry);
    pail_sizing_case_free(&made);
    if (options->cancel != NULL && __atomic_load_n(options->cancel, __ATOMIC_RELAXED) != 0)
        pail_error_say(error); /* nobody comes to it once the signal ends the process */
    pail_interrupt_leave();
}
