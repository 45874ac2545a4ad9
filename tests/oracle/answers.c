/* SPDX-License-Identifier: Apache-2.0 */
/* Answers multiplications for as long as there are lines: a case of JSON on each line of standard
 * input, its answer on one of standard output. One process, one context, so that many cases a
 * second are possible.  oracle_answers [BACKEND]
 *
 * A case has curve, group, points (hexadecimal) in a form (canonical, montgomery, eip196, eip2537,
 * zcash, gnark, arkworks), scalars (hexadecimal, 32 bytes each, little-endian) in scalar_form,
 * validation, jobs ([{offset, n}], each of the first n scalars), and knobs as on the command line
 * of pail. An answer has status, and results (x then y, canonical, hexadecimal) or the sentence. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <pail/encoding.h>

#include <options/knobs.h>
#include <options/names.h>

enum { JOBS_MAX = 16 };

struct world {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
};

/* The outcome of a case. */
struct answer {
    pail_status status;
    char sentence[1024];
    size_t n_jobs;
    pail_msm_result results[JOBS_MAX];
};

static const struct {
    const char *name;
    uint32_t form;
} forms[] = {
    {"eip196", PAIL_POINT_EIP196}, {"eip2537", PAIL_POINT_EIP2537},   {"zcash", PAIL_POINT_ZCASH},
    {"gnark", PAIL_POINT_GNARK},   {"arkworks", PAIL_POINT_ARKWORKS},
};

/* A line that is no case is a mistake of whoever wrote it. */
static void no_case(const char *why)
{
    (void)fprintf(stderr, "oracle_answers: %s\n", why);
    exit(2);
}

static const char *text_of(const json_t *line, const char *key)
{
    const char *const text = json_string_value(json_object_get(line, key));
    if (text == NULL)
        no_case(key);
    return text;
}

static uint32_t name_of(const json_t *line, const char *key, const struct pail_name *names)
{
    uint32_t value;
    if (!pail_name_find(&value, names, text_of(line, key)))
        no_case(key);
    return value;
}

static uint8_t *bytes_of(size_t *n, const json_t *line, const char *key)
{
    const char *const text = text_of(line, key);
    *n = strlen(text) / 2;
    uint8_t *const bytes = malloc(*n + 1);
    if (bytes == NULL)
        no_case("no memory");
    for (size_t i = 0; i < *n; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            no_case(key);
        bytes[i] = (uint8_t)byte;
    }
    return bytes;
}

/* Points in a form of other programs, to canonical. */
static pail_status decode(struct answer *answer, uint8_t **points, size_t *n,
                          const pail_bases_desc *desc, uint32_t form)
{
    const pail_point_format format = {
        .struct_size = sizeof(format), .curve = desc->curve, .group = desc->group, .form = form};
    const size_t encoded = pail_point_bytes(&format);
    if (encoded == 0 || *n % encoded != 0)
        no_case("form");
    const size_t count = *n / encoded;
    uint8_t *const canonical = malloc(count * 2 * PAIL_COORDINATE_MAX + 1);
    if (canonical == NULL)
        no_case("no memory");
    const pail_status status = pail_points_decode(canonical, NULL, &format, *points, *n, count,
                                                  answer->sentence, sizeof(answer->sentence));
    free(*points);
    *points = canonical;
    *n = count;
    return status;
}

static size_t coordinate_bytes(const pail_bases_desc *desc)
{
    return (desc->curve == PAIL_CURVE_BN254 ? 32u : 48u) * desc->group;
}

/* desc->points: to be freed. */
static pail_status read_points(struct answer *answer, pail_bases_desc *desc, uint8_t **points,
                               const json_t *line)
{
    const char *const form = text_of(line, "form");
    size_t n;
    desc->curve = name_of(line, "curve", pail_curve_names);
    desc->group = name_of(line, "group", pail_group_names);
    desc->validation = name_of(line, "validation", pail_validation_names);
    *points = bytes_of(&n, line, "points");
    desc->encoding =
        strcmp(form, "montgomery") == 0 ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL;
    pail_status status = PAIL_OK;
    if (desc->encoding == PAIL_ENCODING_MONTGOMERY || strcmp(form, "canonical") == 0) {
        n /= 2 * coordinate_bytes(desc);
    } else {
        size_t i = 0;
        while (i < sizeof(forms) / sizeof(forms[0]) && strcmp(forms[i].name, form) != 0)
            i++;
        if (i == sizeof(forms) / sizeof(forms[0]))
            no_case("form");
        status = decode(answer, points, &n, desc, forms[i].form);
    }
    desc->points = *points;
    desc->n_points = n;
    return status;
}

static void read_knobs(struct pail_knobs *knobs, const json_t *line)
{
    const char *key;
    json_t *value;
    pail_knobs_init(knobs);
    json_object_foreach(json_object_get(line, "knobs"), key, value)
    {
        const struct pail_option *const knob = pail_knob_find(key, strlen(key));
        if (knob == NULL || !json_is_string(value) ||
            !pail_option_store(knobs, knob, json_string_value(value)))
            no_case(key);
    }
}

static size_t read_jobs(pail_msm_job jobs[JOBS_MAX], const json_t *line, const pail_bases *bases,
                        const uint8_t *scalars, size_t n_scalars)
{
    const json_t *const list = json_object_get(line, "jobs");
    const size_t n = json_array_size(list);
    const bool montgomery = strcmp(text_of(line, "scalar_form"), "montgomery") == 0;
    if (n == 0 || n > JOBS_MAX)
        no_case("jobs");
    for (size_t i = 0; i < n; i++) {
        const json_t *const job = json_array_get(list, i);
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof(jobs[i]),
            .scalar_encoding = montgomery ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL,
            .bases = bases,
            .base_offset = (size_t)json_integer_value(json_object_get(job, "offset")),
            .scalars = scalars,
            .n = (size_t)json_integer_value(json_object_get(job, "n"))};
        if (jobs[i].n > n_scalars)
            no_case("jobs");
    }
    return n;
}

static void compute(struct answer *answer, const struct world *world, const json_t *line)
{
    const pail_backend *const backend = world->backend;
    pail_bases_desc desc = {.struct_size = sizeof(desc)};
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_msm_job jobs[JOBS_MAX];
    struct pail_knobs knobs;
    uint8_t *points = NULL;
    size_t n_bytes;
    uint8_t *const scalars = bytes_of(&n_bytes, line, "scalars");
    read_knobs(&knobs, line);
    desc.residency = knobs.residency;
    desc.table_factor = knobs.table_factor;
    answer->status = read_points(answer, &desc, &points, line);
    if (answer->status == PAIL_OK) {
        answer->status = backend->bases_create(world->context, &bases, NULL, &desc);
        if (answer->status == PAIL_OK) {
            answer->n_jobs = read_jobs(jobs, line, bases, scalars, n_bytes / 32);
            for (size_t i = 0; i < answer->n_jobs; i++)
                answer->results[i].struct_size = sizeof(answer->results[i]);
            answer->status =
                backend->msm_start(world->context, &pending, jobs, answer->n_jobs, &knobs.config);
        }
        if (answer->status == PAIL_OK)
            answer->status = backend->msm_finish(&pending, answer->results, answer->n_jobs, NULL);
        if (answer->status != PAIL_OK)
            (void)snprintf(answer->sentence, sizeof(answer->sentence), "%s",
                           backend->error(world->context));
    }
    backend->bases_destroy(world->context, &bases);
    free(points);
    free(scalars);
}

/* With a terminating zero. */
static void put_hex(char *text, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static void print(const struct answer *answer)
{
    json_t *const object = json_pack("{s:s}", "status", pail_status_name(answer->status));
    if (answer->status != PAIL_OK)
        json_object_set_new(object, "sentence", json_string(answer->sentence));
    json_t *const results = json_array();
    for (size_t i = 0; i < answer->n_jobs && answer->status == PAIL_OK; i++) {
        const pail_msm_result *const result = &answer->results[i];
        char text[4 * PAIL_COORDINATE_MAX + 1] = "";
        put_hex(text, result->x, result->coordinate_bytes);
        put_hex(text + 2 * result->coordinate_bytes, result->y, result->coordinate_bytes);
        json_array_append_new(
            results, json_pack("{s:s, s:b}", "point", text, "infinity", (int)result->infinity));
    }
    json_object_set_new(object, "results", results);
    char *const line = json_dumps(object, JSON_COMPACT);
    if (line == NULL)
        no_case("no memory");
    (void)puts(line);
    (void)fflush(stdout);
    free(line);
    json_decref(object);
}

int main(int argc, char **argv)
{
    struct world world = {.registry = NULL};
    char error[1024], *text = NULL;
    size_t capacity = 0;
    const char *const name = argc > 1 ? argv[1] : NULL;
    const pail_registry_params params = {.struct_size = sizeof(params), .backend = name};
    const pail_context_params context = {.struct_size = sizeof(context),
                                         .device = PAIL_DEVICE_BEST};
    if (pail_registry_create(&world.registry, &params, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find(world.registry, &world.backend, name, error, sizeof(error)) != PAIL_OK)
        no_case(error);
    if (world.backend->context_create(pail_registry_host(world.registry), &world.context,
                                      &context) != PAIL_OK)
        no_case(world.backend->error(NULL));
    while (getline(&text, &capacity, stdin) > 0) {
        json_error_t where;
        json_t *const line = json_loads(text, 0, &where);
        struct answer answer = {.status = PAIL_OK};
        if (line == NULL)
            no_case(where.text);
        compute(&answer, &world, line);
        print(&answer);
        json_decref(line);
    }
    free(text);
    world.backend->context_destroy(&world.context);
    pail_registry_destroy(&world.registry);
    return 0;
}
