/* `pail adstack`: what the sizing of history stacks makes of a kernel. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/line.h>

#include "commands.h"
#include "eval.h"
#include "options/tables.h"
#include "output/json.h"
#include "process/interrupt.h"
#include "process/log.h"
#include <curves/registry_id.h>
#include <formats/report.h>

static const char help[] = "usage: pail adstack id NAME TASK [--json]\n"
                           "       pail adstack eval FILE [OPTIONS]\n"
                           "\n"
                           "History stacks of reverse-mode autodiff kernels (docs/adstack.md).\n"
                           "\n"
                           "  id     the registry id of a kernel's task, 8 hexadecimal digits: "
                           "what generated code reports\n"
                           "         an overflow by. NAME is any text, TASK a number of 32 bits, "
                           "which may be negative. No\n"
                           "         device is needed. Another kernel that has the id first moves "
                           "it to the next one free.\n"
                           "  eval   the sizes of stacks by the trees and arrays of a file; see "
                           "pail adstack eval --help\n";

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

static enum pail_exit print_id(int argc, char **argv)
{
    char error[512] = "";
    const char *words[2] = {NULL, NULL};
    bool json = false;
    int n = 0;
    /* By hand: a task may begin with a minus sign, and a name with anything. */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0 && n != 0) {
            json = true;
        } else if (n == 0 && argc == 2 &&
                   (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            (void)fputs(help, stdout);
            return pail_finish_output(PAIL_EXIT_OK);
        } else {
            if (n < 2)
                words[n] = argv[i];
            n++;
        }
    }
    if (n != 2)
        return pail_complain(PAIL_ERR_ARGUMENT,
                             "a name and the number of a task are needed; see pail adstack --help");
    int32_t task;
    if (!read_task(&task, words[1])) {
        (void)pail_report(error, sizeof(error), PAIL_ERR_ARGUMENT,
                          "TASK cannot be \"%s\": it is a whole number from %" PRId32
                          " to %" PRId32,
                          words[1], INT32_MIN, INT32_MAX);
        return pail_complain(PAIL_ERR_ARGUMENT, error);
    }
    const uint32_t id = pail_registry_id(words[0], strlen(words[0]), (uint32_t)task);
    if (!json) {
        (void)pail_print(stdout, "%08" PRIx32 "\n", id);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    struct pail_json object;
    pail_json_begin(&object);
    pail_json_set_text(&object, "name", words[0]);
    pail_json_set(&object, "task", json_integer(task));
    pail_json_set(&object, "id", json_sprintf("%08" PRIx32, id));
    pail_json_set_number(&object, "number", id);
    const pail_status status = pail_json_print(stdout, &object, error, sizeof(error));
    return status == PAIL_OK ? pail_finish_output(PAIL_EXIT_OK) : pail_complain(status, error);
}

/* ---- eval ----------------------------------------------------------------------------------- */
/* By what the ways came to. */
static enum pail_exit conclude(const struct pail_sizing_run *run)
{
    enum pail_exit result = PAIL_EXIT_OK;
    if (run->difference[0] != '\0') {
        (void)pail_print(stderr, "pail: %s: %s\n", run->made->path, run->difference);
        result = PAIL_EXIT_CHECK;
    }
    for (int way = 0; way < PAIL_WAYS && result == PAIL_EXIT_OK; way++) {
        const struct pail_sizing_answer *const answer = &run->answers[way];
        if (!answer->asked || answer->status == PAIL_OK)
            continue;
        (void)pail_print(stderr, "pail: %s: %s: %s\n", run->made->path, pail_sizing_way_names[way],
                         answer->sentence);
        result = pail_exit_of(answer->status);
    }
    return pail_finish_output(result);
}

static pail_status evaluate(struct pail_sizing_run *run, struct pail_sizing_case *made,
                            struct pail_session *session, const pail_registry *registry,
                            const struct pail_sizing_options *options, char *error,
                            size_t error_cap)
{
    pail_status status = pail_session_open(session, registry, &options->session, error, error_cap);
    if (status == PAIL_OK)
        status = pail_sizing_evaluate(run, made, session, options, error, error_cap);
    if (status == PAIL_OK && options->json)
        return pail_sizing_print_json(stdout, run, error, error_cap);
    if (status == PAIL_OK)
        pail_sizing_print(stdout, run);
    return status;
}

static enum pail_exit run_eval(int argc, char **argv)
{
    char error[2048] = "";
    struct pail_sizing_options options;
    struct pail_sizing_case made = {0};
    struct pail_sizing_run run = {0};
    struct pail_session session = {0};
    pail_registry *registry = NULL;
    enum pail_exit result;

    pail_status status = pail_sizing_options_read(&options, argc, argv, error, sizeof(error));
    if (status == PAIL_OK && options.help) {
        pail_options_help(&pail_sizing_eval_table);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    if (status == PAIL_OK)
        status = pail_sizing_case_read(&made, options.file, error, sizeof(error));
    if (status == PAIL_OK && options.nodes) {
        status = pail_sizing_print_nodes(stdout, &made, error, sizeof(error));
        result =
            status == PAIL_OK ? pail_finish_output(PAIL_EXIT_OK) : pail_complain(status, error);
        goto out;
    }
    const pail_host host = pail_log_host(options.verbose);
    const pail_registry_params params = {
        .struct_size = sizeof(params), .host = &host, .backend = options.session.backend};
    if (status == PAIL_OK)
        status = pail_registry_create(&registry, &params, error, sizeof(error));
    options.cancel = pail_interrupt_watch();
    if (status == PAIL_OK)
        status = evaluate(&run, &made, &session, registry, &options, error, sizeof(error));
    result = status == PAIL_OK ? conclude(&run) : pail_complain(status, error);
out:
    pail_session_close(&session);
    pail_registry_destroy(&registry);
    pail_sizing_case_free(&made);
    pail_interrupt_leave();
    return result;
}

enum pail_exit pail_cmd_adstack(int argc, char **argv)
{
    const char *const verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "id") == 0)
        return print_id(argc - 1, argv + 1);
    if (strcmp(verb, "eval") == 0)
        return run_eval(argc - 1, argv + 1);
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
        (void)fputs(help, stdout);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    char error[512];
    (void)pail_report(error, sizeof(error), PAIL_ERR_ARGUMENT,
                      "\"%s\" is nothing to do with stacks; there are id and eval, see pail "
                      "adstack --help",
                      verb);
    return pail_complain(PAIL_ERR_ARGUMENT, error);
}
