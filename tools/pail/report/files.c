/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for what a step needs: the circuit of a proof with its key, arrays to size stacks by. */
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <platform/process.h>

#include "process/child.h"

#include "circuit.h"
#include "setup.h"

enum { PATH_CHARS = 512 };

/* Of a key: what it is made of, and itself. */
static const char *const file_names[] = {"circuit.r1cs", "witness.wtns", "key.zkey"};

static pail_status make_folder(struct pail_report_run *run, struct pail_error *error)
{
    const char *const where = pail_env("TMPDIR");
    if (run->folder[0] != '\0')
        return PAIL_OK;
    const int n = snprintf(run->folder, sizeof(run->folder), "%s/pail-report-XXXXXX",
                           where && where[0] == '/' ? where : "/tmp");
    if (n > 0 && (size_t)n < sizeof(run->folder) && mkdtemp(run->folder))
        return PAIL_OK;
    const int number = n > 0 && (size_t)n < sizeof(run->folder) ? errno : ENAMETOOLONG;
    run->folder[0] = '\0';
    return pail_fail(error, PAIL_ERR_IO, "no folder for files can be made: %s", strerror(number));
}

void pail_report_remove_folder(struct pail_report_run *run)
{
    char path[PATH_CHARS];
    DIR *const folder = run->folder[0] != '\0' ? opendir(run->folder) : NULL;
    /* All that is there: a command that was killed may have left files under names of its own. */
    for (const struct dirent *file; folder && (file = readdir(folder)) != NULL;) {
        const int n = snprintf(path, sizeof(path), "%s/%s", run->folder, file->d_name);
        if (n > 0 && (size_t)n < sizeof(path) && strcmp(file->d_name, ".") != 0 &&
            strcmp(file->d_name, "..") != 0)
            (void)unlink(path);
    }
    if (!folder)
        return;
    (void)closedir(folder);
    (void)rmdir(run->folder);
    run->folder[0] = '\0';
}

static void pass_over(void *user, const char *line)
{
    (void)user;
    (void)line;
}

void pail_report_ask_for_key(struct pail_report_run *run, struct pail_report_answer *answer,
                             char *key, char *witness, uint32_t constraints)
{
    char number[16];
    struct pail_child_end end;
    struct pail_error error = {0};
    *answer = (struct pail_report_answer){.end = PAIL_REPORT_FAILED};
    (void)snprintf(answer->command, sizeof(answer->command),
                   "pail report --only proof --backend %s --device %s", run->backend, run->index);
    if (make_folder(run, &error) != PAIL_OK) {
        pail_report_take_error(run, answer, &error);
        return;
    }
    (void)snprintf(key, PATH_CHARS, "%s/key.zkey", run->folder);
    (void)snprintf(witness, PATH_CHARS, "%s/witness.wtns", run->folder);
    (void)snprintf(number, sizeof(number), "%" PRIu32, constraints);
    const char *const words[] = {"pail",          "report", "--key-in", run->folder,
                                 "--constraints", number,   NULL};
    const struct pail_child child = {.name = run->label,
                                     .words = words,
                                     .deadline_ms = run->step_end_ms,
                                     .interrupt = run->interrupt,
                                     .line = pass_over,
                                     .hears = true};
    if (pail_child_run(&end, &child, &error) == PAIL_OK)
        pail_report_conclude(answer, &end);
    else
        pail_report_take_error(run, answer, &error);
}

pail_status pail_report_make_key(const char *folder, uint32_t constraints, struct pail_error *error)
{
    const struct circuit_params params = {
        .curve = PAIL_CURVE_BN254, .n_constraints = constraints, .n_public = 2, .seed = 1};
    char paths[3][PATH_CHARS];
    for (size_t i = 0; i < 3; i++)
        (void)snprintf(paths[i], PATH_CHARS, "%s/%s", folder, file_names[i]);
    if (!circuit_write(paths[0], paths[1], &params))
        return pail_fail(error, PAIL_ERR_IO, "the circuit of a proof cannot be written");
    return pail_told(error, insecure_setup(paths[2], paths[0], 1, PAIL_SENTENCE(error)));
}

pail_status pail_report_make_file(struct pail_report_run *run, char *path, const char *name,
                                  const char *text, struct pail_error *error)
{
    if (make_folder(run, error) != PAIL_OK)
        return error->status;
    (void)snprintf(path, PATH_CHARS, "%s/%s", run->folder, name);
    FILE *const file = fopen(path, "wxe");
    const bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && written)
        return PAIL_OK;
    return pail_fail(error, PAIL_ERR_IO, "%s cannot be written", name);
}
