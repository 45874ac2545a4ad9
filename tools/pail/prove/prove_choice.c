/* SPDX-License-Identifier: Apache-2.0 */
#include "prove.h"

#include <string.h>

#include <platform/process.h>
#include <platform/text.h>
#include <prover/cost.h>

#include "output/json.h"
#include "process/process.h"

/* No device starts sooner. Where the processors are done by then, and whoever named them did so
 * without the record, there is nothing to learn: the record would take a tenth of their time. */
static const double SHORT_MS = 15;

/* The reason why the choice is made already; NULL: it is open. */
static const char *decided(const struct pail_prove_options *options,
                           const struct pail_session_params *params)
{
    const char *const setting = pail_env("PAIL_BACKEND");
    if (params->backend)
        return "--backend names it";
    if (params->device)
        return "--device names its device";
    if (setting && setting[0] != '\0')
        return "PAIL_BACKEND asks for it";
    if (options->residency != 0 || options->table_factor != 0)
        return "it has the highest score, and options say how a device is to keep the points";
    if (options->b2 != PAIL_GROTH16_B2_AUTO)
        return "it has the highest score, and --b2 says what a device does";
    if (options->cluster != 0)
        return "it has the highest score, and each rank has one of its own";
    return NULL;
}

/* False: the key cannot be read. Who opens it next will say why. */
static bool know_job(struct pail_prove_choice *choice)
{
    const struct pail_prove_options *const options = choice->options;
    const uint64_t n = choice->n;
    struct pail_zkey zkey;
    char untold[512];
    if (pail_zkey_open(&zkey, options->key, untold, sizeof(untold)) != PAIL_OK)
        return false;
    pail_cost_machine_read(&choice->machine, options->session.threads);
    choice->job = (struct pail_cost_job){
        .processors = choice->machine.processors, .n = n, .keeps = n > 1 || options->batch};
    pail_cost_key_of(&choice->job.key, &zkey);
    pail_zkey_close(&zkey);
    choice->job.forgotten = !pail_cost_load(&choice->record, &choice->machine, choice->dir);
    return true;
}

static const char *known(const struct pail_cost_estimate *estimate)
{
    return estimate->measured ? "measured" : "estimated";
}

static void explain(struct pail_prove_choice *choice)
{
    const struct pail_cost_choice *const c = &choice->choice;
    const struct pail_cost_estimate *const cpu = &c->of[PAIL_COST_CPU],
                                           *const device = &c->of[PAIL_COST_DEVICE];
    const size_t cap = sizeof(choice->reason);
    const bool absent = c->reason == PAIL_COST_ABSENT || c->reason == PAIL_COST_LOOKED;
    if (absent)
        (void)pail_line(choice->reason, cap, "no GPU was found at the last look%s",
                        c->reason == PAIL_COST_LOOKED ? ", and another one costs little" : "");
    else
        (void)pail_line(choice->reason, cap,
                        "all of it takes %.0f ms on the CPU (%s) and %.0f on a device (%s)%s",
                        cpu->expected_ms, known(cpu), device->expected_ms, known(device),
                        c->reason == PAIL_COST_TRIED ? "; it may take less here, and is tried"
                                                     : "");
}

void pail_prove_choose(struct pail_prove_choice *choice, const struct pail_prove_options *options,
                       uint64_t n, struct pail_session_params *params)
{
    const char *const why = decided(options, params);
    *choice = (struct pail_prove_choice){.dir = params->cache_dir, .options = options, .n = n};
    /* A device by its name may be another one than the best. */
    choice->usual = options->validation == 0 && options->residency == 0 &&
                    options->table_factor == 0 && options->b2 == PAIL_GROTH16_B2_AUTO &&
                    !params->device && options->cluster == 0 && !options->stages;
    if (why)
        (void)pail_line(choice->reason, sizeof(choice->reason), "%s", why);
    choice->weighed = !why && know_job(choice);
    if (!choice->weighed)
        return;
    choice->noted = choice->usual;
    pail_cost_choose(&choice->choice, &choice->record, &choice->job);
    explain(choice);
    if (choice->choice.place == PAIL_COST_CPU)
        params->backend = PAIL_CPU_NAME;           /* and no plugin is opened */
    if (choice->choice.reason == PAIL_COST_ABSENT) /* as a session says that finds none */
        pail_notice_no_gpu();
}

void pail_prove_begun(struct pail_prove_choice *choice, struct pail_session *session)
{
    choice->looked = session->fallback[0] != '\0';
    if (choice->weighed && choice->choice.reason == PAIL_COST_ABSENT)
        (void)pail_line(session->fallback, sizeof(session->fallback), "%s", choice->reason);
}

void pail_prove_note_device(struct pail_prove_choice *choice, const struct pail_session *session,
                            double took_ms)
{
    const bool software = !session->built_in && session->device.type == PAIL_DEVICE_CPU;
    if (!choice->weighed && choice->usual && !(session->built_in && took_ms < SHORT_MS))
        choice->noted = know_job(choice);
    /* The record is read again: others may have noted something meanwhile. */
    if (choice->noted)
        (void)pail_cost_load(&choice->record, &choice->machine, choice->dir);
    choice->choice.place = session->built_in ? PAIL_COST_CPU : PAIL_COST_DEVICE;
    /* A software driver is not what `auto` takes; nor is a device that failed today. */
    choice->noted = choice->noted && !software && !session->gave_way;
    if (choice->noted && !session->built_in)
        choice->news |=
            pail_cost_note_device(&choice->record, pail_cost_device_mark(&session->device));
}

void pail_prove_note(struct pail_prove_choice *choice, const struct pail_prove_times *times)
{
    struct pail_cost_sample sample = {
        .start_ms = times->begin_ms + times->end_ms,
        .first_ms = times->open_ms + times->first_ms,
    };
    if (!choice->noted)
        return;
    if (choice->job.n > 1)
        sample.next_ms = (times->all_ms - times->first_ms) / (double)(choice->job.n - 1);
    if (choice->looked) { /* for a device, in vain */
        choice->news |= pail_cost_note_absent(&choice->record, sample.start_ms);
        sample.start_ms = 0;
    }
    choice->news |= pail_cost_note(&choice->record, &choice->job, choice->choice.place, &sample);
    if (choice->news)
        pail_cost_store(&choice->record, &choice->machine, choice->dir);
}

/* A device that was wanted and was not there: the session says what there is. */
static const char *reason_of(const struct pail_prove_choice *choice,
                             const struct pail_session *session)
{
    return session->fallback[0] != '\0' ? session->fallback : choice->reason;
}

void pail_prove_choice_print(FILE *out, const struct pail_prove_choice *choice,
                             const struct pail_session *session)
{
    (void)pail_print(out, "%-9s %s: %s\n", "choice", session->backend->name,
                     reason_of(choice, session));
}

json_t *pail_prove_choice_object(const struct pail_prove_choice *choice,
                                 const struct pail_session *session)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "backend", session->backend->name);
    pail_json_set_text(&json, "reason", reason_of(choice, session));
    if (choice->weighed) {
        pail_json_set_real(&json, "cpu_ms", choice->choice.of[PAIL_COST_CPU].expected_ms);
        if (choice->record.absent == 0)
            pail_json_set_real(&json, "device_ms", choice->choice.of[PAIL_COST_DEVICE].expected_ms);
    }
    return pail_json_take(&json);
}
