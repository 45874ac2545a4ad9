#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/text.h>

#include "load/load_trace.h"
#include "output/json_place.h"
#include "waterfall.h"

enum { PLACE_BYTES = 4096 + 32 };
static const json_int_t TIME_MAX = INT64_C(1) << 60;

static const char *const keys[] = {"proof", "lane",      "begin_ns", "end_ns",
                                   "kind",  "device_ns", NULL};

static void read_kind(pail_prover_span *span, const json_t *object,
                      const struct pail_json_place *place)
{
    struct pail_name names[PAIL_PROVER_SPAN_KINDS + 1] = {{NULL, 0}};
    const char *lane = NULL;
    for (uint32_t i = 0; i < PAIL_PROVER_SPAN_KINDS; i++)
        names[i] = (struct pail_name){pail_load_kinds[i].name, i};
    span->kind = PAIL_PROVER_SPAN_KINDS;
    pail_json_word(object, place, "kind", names, &span->kind);
    pail_json_text(object, place, "lane", &lane);
    if (pail_json_status(place) != PAIL_OK || span->kind == PAIL_PROVER_SPAN_KINDS)
        return;
    const struct pail_load_kind *const kind = &pail_load_kinds[span->kind];
    if (lane != NULL && strcmp(lane, kind->lane) != 0) {
        const struct pail_json_place member = pail_json_member(place, "lane");
        (void)pail_json_refuse(&member, json_object_get(object, "lane"), "that of \"%s\" is \"%s\"",
                               kind->name, kind->lane);
    }
}

static void read_span(pail_prover_span *span, json_t *object, const struct pail_json_place *place)
{
    json_int_t proof = 0, begin = 0, end = 0, device = 0;
    pail_json_object(object, place, keys);
    for (size_t i = 0; keys[i] != NULL && pail_json_status(place) == PAIL_OK; i++)
        if (json_object_get(object, keys[i]) == NULL)
            (void)pail_json_complain(place, PAIL_ERR_DATA, "%s is missing", keys[i]);
    read_kind(span, object, place);
    pail_json_integer(object, place, "proof", 0, TIME_MAX, &proof);
    pail_json_integer(object, place, "begin_ns", 0, TIME_MAX, &begin);
    pail_json_integer(object, place, "end_ns", begin, TIME_MAX, &end);
    pail_json_integer(object, place, "device_ns", 0, TIME_MAX, &device);
    span->job = (uint64_t)proof;
    span->begin_ns = (uint64_t)begin;
    span->end_ns = (uint64_t)end;
    span->device_ns = (uint64_t)device;
}

static pail_status read_line(pail_prover_span *span, const char *text, size_t length,
                             const char *path, size_t number, struct pail_error *error)
{
    char where[PLACE_BYTES];
    json_error_t reason;
    (void)pail_line(where, sizeof(where), "%s:%zu", path, number);
    json_t *const object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &reason);
    if (object == NULL)
        return pail_fail(error, PAIL_ERR_DATA, "%s:%zu: is no JSON: %s", path, number, reason.text);
    const struct pail_json_file file = {.path = where, .error = error};
    const struct pail_json_place place = {.file = &file};
    read_span(span, object, &place);
    json_decref(object);
    return error->status;
}

static pail_status read_lines(struct pail_waterfall *waterfall, FILE *file, const char *path,
                              struct pail_error *error)
{
    size_t capacity = 0, room = 0;
    char *text = NULL;
    ssize_t length;
    pail_status status = PAIL_OK;
    while (status == PAIL_OK && (length = getline(&text, &room, file)) >= 0) {
        if (waterfall->n == capacity) {
            capacity = capacity == 0 ? 1024 : 2 * capacity;
            pail_prover_span *const more =
                realloc(waterfall->spans, capacity * sizeof(waterfall->spans[0]));
            if (more == NULL) {
                status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory", path);
                break;
            }
            waterfall->spans = more;
        }
        pail_prover_span *const span = &waterfall->spans[waterfall->n];
        *span = (pail_prover_span){.struct_size = sizeof(*span)};
        status = read_line(span, text, (size_t)length, path, waterfall->n + 1, error);
        waterfall->n++;
    }
    free(text);
    if (status == PAIL_OK && ferror(file))
        status = pail_fail(error, PAIL_ERR_IO, "%s: cannot be read", path);
    if (status == PAIL_OK && waterfall->n == 0)
        status = pail_fail(error, PAIL_ERR_DATA, "%s: has no spans", path);
    return status;
}

static int by_proof(const void *a, const void *b)
{
    const pail_prover_span *const x = a, *const y = b;
    return (x->job > y->job) - (x->job < y->job);
}

static int by_begin(const void *a, const void *b)
{
    const pail_prover_span *const x = a, *const y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns > y->begin_ns ? 1 : -1;
    return by_proof(a, b);
}

pail_status pail_waterfall_read(struct pail_waterfall *waterfall, const char *path,
                                struct pail_error *error)
{
    *waterfall = (struct pail_waterfall){.begin_ns = UINT64_MAX};
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return pail_fail(error, PAIL_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const pail_status status = read_lines(waterfall, file, path, error);
    (void)fclose(file);
    if (status != PAIL_OK)
        return status;
    qsort(waterfall->spans, waterfall->n, sizeof(waterfall->spans[0]), by_proof);
    for (size_t i = 0; i < waterfall->n; i++) {
        const pail_prover_span *const span = &waterfall->spans[i];
        waterfall->proofs += i == 0 || span->job != span[-1].job;
        if (span->begin_ns < waterfall->begin_ns)
            waterfall->begin_ns = span->begin_ns;
        if (span->end_ns > waterfall->end_ns)
            waterfall->end_ns = span->end_ns;
    }
    qsort(waterfall->spans, waterfall->n, sizeof(waterfall->spans[0]), by_begin);
    return PAIL_OK;
}

void pail_waterfall_free(struct pail_waterfall *waterfall)
{
    free(waterfall->spans);
    *waterfall = (struct pail_waterfall){0};
}
