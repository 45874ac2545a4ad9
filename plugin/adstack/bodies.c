/* SPDX-License-Identifier: Apache-2.0 */
#include "bodies.h"

#include <pthread.h>
#include <string.h>

#include <platform/clock.h>
#include <shared/adstack_layout.h>

#include "specialise.h"

/* Kernels of one device. A host that has more bodies keeps the interpreter for the others. */
#define BODIES_MAX 256u

/* Longer code stays with the interpreter, or with the host: a compiler would take minutes for it.
 */
#define CODE_MAX 2048u

/* Bodies of programs that are remembered by number, a power of two. More push out others. */
#define KNOWN 1024u

/* Assumed cost of compiling before the first time, and the cells that pass before it where a device
 * has no timestamps. */
#define COMPILE_MS    100.0
#define COMPILE_CELLS (UINT64_C(1) << 24)

/* Below so many cells a measurement says how long a dispatch is, not how fast its cells are. */
#define MEASURED_CELLS 65536u

struct rate {
    double ms;
    uint64_t cells;
};

struct body {
    char *text;
    size_t length;
    uint32_t together;
    const struct pail_vk_pipeline *pipeline; /* NULL: none yet */
    bool asked_cache;                        /* the cache was asked for the words */
    bool failed;                             /* the driver refuses it: not tried again */
    struct rate interpreter, special;
    uint64_t cells; /* cells computed by the interpreter */
};

/* A body of a program, by its number. */
struct known {
    uint64_t serial;
    uint32_t number, together;
    struct body *body; /* NULL: free */
};

struct pail_ad_choices {
    struct pail_vk_device *dev;
    pthread_mutex_t lock; /* guards what follows; not held while anything is compiled */
    struct body *bodies[BODIES_MAX];
    uint32_t n_bodies;
    struct known known[KNOWN];
    struct rate compiled; /* cells: how many */
};

pail_status pail_ad_choices_create(struct pail_ad_choices **out, struct pail_vk_device *dev,
                                   struct pail_error *err)
{
    struct pail_ad_choices *choices = pail_calloc(pail_vk_device_alloc(dev), 1, sizeof(*choices));
    *out = NULL;
    if (!choices)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for kernels of reductions");
    if (pthread_mutex_init(&choices->lock, NULL) != 0) {
        pail_free(pail_vk_device_alloc(dev), choices);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    choices->dev = dev;
    *out = choices;
    return PAIL_OK;
}

static void free_body(const struct pail_alloc *alloc, struct body *body)
{
    if (body)
        pail_free(alloc, body->text);
    pail_free(alloc, body);
}

void pail_ad_choices_destroy(struct pail_ad_choices **out)
{
    struct pail_ad_choices *choices = *out;
    *out = NULL;
    if (!choices)
        return;
    const struct pail_alloc *alloc = pail_vk_device_alloc(choices->dev);
    for (uint32_t i = 0; i < choices->n_bodies; i++)
        free_body(alloc, choices->bodies[i]);
    pthread_mutex_destroy(&choices->lock);
    pail_free(alloc, choices);
}

static struct known *place_of(struct pail_ad_choices *choices, uint64_t serial, uint32_t number,
                              uint32_t together)
{
    const uint64_t mixed = (serial * 31 + number) * 31 + together;
    return &choices->known[mixed * 0x9e3779b97f4a7c15u >> 54]; /* 2^64 over the golden ratio */
}

_Static_assert(KNOWN == 1u << 10, "place_of takes the 10 upper bits");

/* A body that is known by number; the lock is held. */
static struct body *recall(struct pail_ad_choices *choices, uint64_t serial, uint32_t number,
                           uint32_t together)
{
    const struct known *known = place_of(choices, serial, number, together);
    const bool same =
        known->serial == serial && known->number == number && known->together == together;
    return same ? known->body : NULL;
}

static struct body *make_body(const struct pail_alloc *alloc, const struct pail_ad_text *text,
                              uint32_t together)
{
    struct body *body = pail_calloc(alloc, 1, sizeof(*body));
    char *copy = pail_calloc(alloc, 1, text->length + 1);
    if (!body || !copy) {
        pail_free(alloc, body);
        pail_free(alloc, copy);
        return NULL;
    }
    memcpy(copy, text->at, text->length);
    *body = (struct body){.text = copy, .length = text->length, .together = together};
    return body;
}

/* The body of this text, made where it is new; *made is left where it was there. The lock is held.
 */
static struct body *find_text(struct pail_ad_choices *choices, struct body **made)
{
    for (uint32_t i = 0; i < choices->n_bodies; i++) {
        struct body *body = choices->bodies[i];
        if (body->length == (*made)->length && memcmp(body->text, (*made)->text, body->length) == 0)
            return body;
    }
    if (choices->n_bodies == BODIES_MAX)
        return NULL;
    struct body *body = *made;
    choices->bodies[choices->n_bodies++] = body;
    *made = NULL;
    return body;
}

/* A body that is not known by number. NULL: it has no kernel, for want of memory or because there
 * are too many. */
static struct body *body_of(struct pail_ad_choices *choices, const struct pail_ad_work *work,
                            const struct pail_ad_spec *spec, uint32_t together)
{
    const struct pail_alloc *alloc = pail_vk_device_alloc(choices->dev);
    if (spec->n_code > CODE_MAX)
        return NULL;
    pthread_mutex_lock(&choices->lock);
    const bool full = choices->n_bodies == BODIES_MAX;
    pthread_mutex_unlock(&choices->lock);
    if (full)
        return NULL;
    struct pail_ad_text text = {.alloc = alloc};
    pail_ad_specialise(&text, work->program, spec, together);
    struct body *made = text.failed ? NULL : make_body(alloc, &text, together ? together : 1);
    pail_ad_text_free(&text);
    if (!made)
        return NULL;
    pthread_mutex_lock(&choices->lock);
    struct body *body = find_text(choices, &made);
    if (body)
        *place_of(choices, work->serial, spec->body, together) =
            (struct known){work->serial, spec->body, together, body};
    pthread_mutex_unlock(&choices->lock);
    free_body(alloc, made);
    return body;
}

/* Asks for the pipeline and keeps the answer. kept: only from the cache. */
static const struct pail_vk_pipeline *compile(struct pail_ad_choices *choices, struct body *body,
                                              bool kept)
{
    const struct pail_source text = {"adstack/body.glsl", body->text, body->length};
    const struct pail_vk_pipeline_request request = {
        .kernel = PAIL_KERNEL_ADSTACK_REDUCE,
        .variant = {.field = pail_ad_integers(choices->dev)},
        .text = &text,
        .kept = kept,
    };
    const struct pail_vk_pipeline *pipeline;
    struct pail_error err = {0};
    const double start = pail_now_ms();
    const pail_status status = pail_vk_pipeline_find(choices->dev, &request, &pipeline, NULL, &err);
    const double ms = pail_now_ms() - start;
    pthread_mutex_lock(&choices->lock);
    body->asked_cache = true;
    if (status == PAIL_OK)
        body->pipeline = pipeline;
    else if (status == PAIL_ERR_INTERNAL || status == PAIL_ERR_UNSUPPORTED)
        body->failed = true; /* for good; memory may be there again */
    if (!kept) {
        choices->compiled.ms += ms;
        choices->compiled.cells++;
    }
    pthread_mutex_unlock(&choices->lock);
    if (status != PAIL_OK && status != PAIL_NOT_READY)
        pail_log(pail_vk_device_log(choices->dev), PAIL_LOG_WARNING,
                 "a reduction stays with the interpreter: %s", err.text);
    return pipeline;
}

static double ms_of_a_cell(const struct rate *rate)
{
    return rate->ms / (double)rate->cells;
}

enum step { INTERPRET, TAKE, ASK_CACHE, COMPILE };

/* The lock is held. */
static enum step next_step(const struct pail_ad_choices *choices, const struct body *body,
                           uint32_t flags)
{
    if (body->failed)
        return INTERPRET;
    if (flags & PAIL_LAUNCH_SPECIALISE)
        return body->pipeline ? TAKE : COMPILE;
    if (body->pipeline) {
        const bool both = body->special.cells && body->interpreter.cells;
        const bool slower = both && ms_of_a_cell(&body->special) > ms_of_a_cell(&body->interpreter);
        return slower ? INTERPRET : TAKE;
    }
    if (!body->asked_cache)
        return ASK_CACHE;
    const double cost = choices->compiled.cells ? ms_of_a_cell(&choices->compiled) : COMPILE_MS;
    const bool paid =
        body->interpreter.ms > 0 ? body->interpreter.ms >= cost : body->cells >= COMPILE_CELLS;
    return paid ? COMPILE : INTERPRET;
}

static const struct pail_vk_pipeline *find(void *user, const struct pail_ad_work *work,
                                           uint32_t number, uint32_t *together)
{
    struct pail_ad_choices *choices = user;
    const struct pail_ad_spec *spec = &work->program->specs[number];
    if (work->flags & PAIL_LAUNCH_INTERPRET)
        return NULL;
    const uint32_t cells = pail_ad_stream_cells(work->program, spec, work->arrays);
    pthread_mutex_lock(&choices->lock);
    struct body *body = recall(choices, work->serial, spec->body, cells);
    if (!body) {
        pthread_mutex_unlock(&choices->lock);
        body = body_of(choices, work, spec, cells);
        if (!body)
            return NULL;
        pthread_mutex_lock(&choices->lock);
    }
    const enum step step = next_step(choices, body, work->flags);
    const struct pail_vk_pipeline *pipeline = step == TAKE ? body->pipeline : NULL;
    pthread_mutex_unlock(&choices->lock);
    if (step == ASK_CACHE || step == COMPILE)
        pipeline = compile(choices, body, step == ASK_CACHE);
    if (pipeline)
        *together = body->together;
    return pipeline;
}

static void add(struct rate *rate, double ms, uint64_t cells)
{
    if (ms <= 0 || cells < MEASURED_CELLS)
        return;
    rate->ms += ms;
    rate->cells += cells;
}

/* The time of a dispatch belongs to its specs by how many cells they have. */
static void measured(void *user, const struct pail_ad_measure *m)
{
    struct pail_ad_choices *choices = user;
    uint64_t all = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->reports[AD_REPORT_WORDS * i + AD_REPORT_OVER] == AD_OVER_DECIDED)
            return;
        all += pail_ad_report_cells(&m->reports[AD_REPORT_WORDS * i]);
    }
    pthread_mutex_lock(&choices->lock);
    for (uint32_t i = 0; i < m->n && all; i++) {
        const struct pail_ad_spec *spec = &m->work->program->specs[m->specs[i].spec];
        const uint64_t cells = pail_ad_report_cells(&m->reports[AD_REPORT_WORDS * i]);
        const uint32_t together = pail_ad_stream_cells(m->work->program, spec, m->work->arrays);
        const double ms = m->ms * (double)cells / (double)all;
        struct body *body = recall(choices, m->work->serial, spec->body, together);
        if (body) {
            add(m->specialised ? &body->special : &body->interpreter, ms, cells);
            body->cells += m->specialised ? 0 : cells;
        }
    }
    pthread_mutex_unlock(&choices->lock);
}

struct pail_ad_bodies pail_ad_choices_bodies(struct pail_ad_choices *choices)
{
    return (struct pail_ad_bodies){.user = choices, .find = find, .measured = measured};
}
