/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to other processes of this program, and the rows that their answers become. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/text.h>

#include "output/json.h"
#include "output/progress.h"
#include "process/child.h"

enum { WORDS_MAX = 64 };

/* ---- Rows ------------------------------------------------------------------------------------ */

static void no_memory(struct pail_report_run *run)
{
    if (run->error->status == PAIL_OK)
        (void)pail_fail(run->error, PAIL_ERR_HOST_MEMORY, "no memory for a row of the report");
}

json_t *pail_report_pick(const json_t *row, const char *const *keys)
{
    struct pail_json picked;
    pail_json_begin(&picked);
    for (; *keys; keys++) {
        json_t *const value = json_object_get(row, *keys);
        if (value)
            pail_json_set(&picked, *keys, json_incref(value));
    }
    return pail_json_take(&picked);
}

static void note_failure(struct pail_report_run *run, bool wrong, const char *name,
                         const char *reason, const char *command)
{
    run->wrong = run->wrong || wrong;
    run->failed = run->failed || !wrong;
    if (run->failure[0] != '\0')
        return;
    (void)pail_line(run->failure, sizeof(run->failure), "%s: %s: %s", run->label, name, reason);
    (void)snprintf(run->repeats, sizeof(run->repeats), "%s", command);
}

void pail_report_put(struct pail_report_run *run, const char *name, const char *outcome,
                     const char *reason, const char *command, json_t *measured)
{
    struct pail_json row;
    char clean[1024] = "";
    const bool wrong = strcmp(outcome, "wrong") == 0, failed = strcmp(outcome, "failed") == 0;
    /* A command writes null for a sentence that is no UTF-8. */
    if (!reason && (wrong || failed || strcmp(outcome, "unsupported") == 0))
        reason = "the reason cannot be read";
    pail_json_begin(&row);
    pail_json_set_text(&row, "name", name);
    pail_json_set_text(&row, "outcome", outcome);
    if (reason)
        pail_json_set_text(&row, "reason", pail_report_clean(clean, sizeof(clean), reason));
    if (command)
        pail_json_set_text(&row, "command", command);
    if (measured && json_object_update_missing(row.object, measured) != 0)
        row.failed = true;
    json_decref(measured);
    if (wrong || failed)
        note_failure(run, wrong, name, clean, command ? command : "");
    json_t *const object = pail_json_take(&row);
    if (!object || json_array_append_new(run->rows, object) != 0)
        no_memory(run);
}

void pail_report_put_end(struct pail_report_run *run, const char *name,
                         const struct pail_report_answer *answer)
{
    if (run->error->status != PAIL_OK)
        return;
    switch (answer->end) {
    case PAIL_REPORT_LATE:
        pail_report_put(run, name, PAIL_REPORT_NO_TIME, NULL, answer->command, NULL);
        return;
    case PAIL_REPORT_REFUSED:
        pail_report_put(run, name, "unsupported", answer->sentence, answer->command, NULL);
        return;
    case PAIL_REPORT_DONE:
    case PAIL_REPORT_FAILED:
        break;
    }
    pail_report_put(run, name, answer->wrong ? "wrong" : "failed", answer->sentence,
                    answer->command, NULL);
}

void pail_report_note_end(struct pail_report_run *run, const char *name,
                          const struct pail_report_answer *answer)
{
    char reason[sizeof(answer->sentence) + 32];
    (void)snprintf(reason, sizeof(reason), "after the result: %s", answer->sentence);
    if (answer->end == PAIL_REPORT_FAILED && run->error->status == PAIL_OK)
        note_failure(run, false, name, reason, answer->command);
}

void pail_report_take_error(struct pail_report_run *run, struct pail_report_answer *answer,
                            const struct pail_error *error)
{
    if (error->status == PAIL_ERR_IO)
        (void)pail_report_clean(answer->sentence, sizeof(answer->sentence), error->sentence);
    else if (error->status != PAIL_OK)
        *run->error = *error;
}

bool pail_report_lacks(const struct pail_report_run *run, double ms)
{
    return pail_now_ms() + ms > run->step_end_ms;
}

/* ---- Questions ------------------------------------------------------------------------------- */

struct asking {
    struct pail_report_run *run;
    const struct pail_report_question *question;
    struct pail_progress progress;
    char *text; /* of the one object, so far */
    size_t n;
    bool failed;
};

static void tick(void *user)
{
    struct asking *const asking = user;
    const struct pail_report_run *const run = asking->run;
    const double whole = run->end_ms - run->begin_ms;
    pail_progress_tick(&asking->progress, whole > 0 ? (pail_now_ms() - run->begin_ms) / whole : -1);
}

static void note_pipelines(struct pail_report_run *run, const json_t *row)
{
    run->compiled += (uint64_t)json_integer_value(json_object_get(row, "compiled"));
    run->disk += (uint64_t)json_integer_value(json_object_get(row, "disk"));
    run->pipelines_ms += json_number_value(json_object_get(row, "wall_ms"));
}

static void take_line(void *user, const char *line)
{
    struct asking *const asking = user;
    if (!asking->question->lines) {
        const size_t n = strlen(line);
        char *const grown = realloc(asking->text, asking->n + n + 2);
        if (!grown) {
            asking->failed = true;
            return;
        }
        memcpy(grown + asking->n, line, n);
        asking->text = grown;
        asking->n += n + 1;
        grown[asking->n - 1] = '\n';
        grown[asking->n] = '\0';
        return;
    }
    json_t *const row = json_loads(line, 0, NULL);
    const char *const event = json_string_value(json_object_get(row, "ev"));
    if (event && strcmp(event, "pipelines") == 0)
        note_pipelines(asking->run, row);
    else if (event)
        asking->question->answer(asking->question->user, row);
    json_decref(row);
}

/* The words of the process: those of the question, the device, and that it prints JSON. */
static void make_words(const char *words[WORDS_MAX], char *command, size_t capacity,
                       const struct pail_report_run *run,
                       const struct pail_report_question *question)
{
    size_t n = 0, used = 0;
    words[n++] = "pail";
    for (const char *const *word = question->words; *word; word++)
        words[n++] = *word;
    if (run->backend) {
        words[n++] = "--backend";
        words[n++] = run->backend;
        words[n++] = "--device";
        words[n++] = run->index;
    }
    for (size_t i = 0; i < n && used < capacity; i++)
        used +=
            (size_t)snprintf(command + used, capacity - used, "%s%s", i > 0 ? " " : "", words[i]);
    words[n++] = "--json";
    if (question->lines)
        words[n++] = "-";
    words[n] = NULL;
}

void pail_report_conclude(struct pail_report_answer *answer, const struct pail_child_end *end)
{
    static const char head[] = "pail: ";
    const size_t skip = strncmp(end->said, head, sizeof(head) - 1) == 0 ? sizeof(head) - 1 : 0;
    char sentence[sizeof(answer->sentence)];
    answer->wrong = end->exit == PAIL_EXIT_CHECK;
    answer->end = end->late                            ? PAIL_REPORT_LATE
                  : end->exit == 0 || answer->wrong    ? PAIL_REPORT_DONE
                  : end->exit == PAIL_EXIT_UNSUPPORTED ? PAIL_REPORT_REFUSED
                                                       : PAIL_REPORT_FAILED;
    if (end->exit > 128 && !end->late)
        (void)pail_line(sentence, sizeof(sentence), "signal %d ended it%s%s", end->exit - 128,
                        end->said[skip] != '\0' ? "; before: " : "", end->said + skip);
    else if (end->said[skip] != '\0')
        (void)pail_line(sentence, sizeof(sentence), "%s", end->said + skip);
    else
        (void)snprintf(sentence, sizeof(sentence),
                       "it ended with status %d, without a word on this", end->exit);
    (void)pail_report_clean(answer->sentence, sizeof(answer->sentence), sentence);
}

void pail_report_ask(struct pail_report_run *run, struct pail_report_answer *answer,
                     const struct pail_report_question *question)
{
    struct asking asking = {.run = run, .question = question};
    struct pail_child_end end;
    struct pail_error error = {0};
    const char *words[WORDS_MAX];
    *answer = (struct pail_report_answer){.end = PAIL_REPORT_FAILED};
    make_words(words, answer->command, sizeof(answer->command), run, question);
    if (question->repeats)
        (void)snprintf(answer->command, sizeof(answer->command), "%s", question->repeats);
    if (run->error->status != PAIL_OK)
        return;
    const struct pail_child child = {.name = run->label,
                                     .words = words,
                                     .deadline_ms = run->step_end_ms,
                                     .interrupt = run->interrupt,
                                     .line = take_line,
                                     .tick = tick,
                                     .user = &asking,
                                     .hears = true};
    pail_progress_begin(&asking.progress, run->label);
    if (pail_child_run(&end, &child, &error) == PAIL_OK)
        pail_report_conclude(answer, &end);
    else
        pail_report_take_error(run, answer, &error);
    answer->wall_ms = pail_progress_end(&asking.progress);
    if (run->error->status == PAIL_OK && asking.failed)
        no_memory(run);
    json_t *const object = asking.text && !end.late ? json_loads(asking.text, 0, NULL) : NULL;
    if (object && run->error->status == PAIL_OK)
        question->answer(question->user, object);
    json_decref(object);
    free(asking.text);
}
