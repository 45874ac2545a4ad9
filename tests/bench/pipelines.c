/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of finding a pipeline that is there: the table of the device against a list that is
 * searched by the number of the module, as it was before pipelines had keys. Both hold the same
 * pipelines and are asked in the same order, in turns.
 *
 * Prints: nanoseconds for a lookup, median of the rounds, and the least and most of them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <vk/pipeline.h>

enum { LOOKUPS = 200000, ROUNDS = 21, MAX = 128 };

struct entry {
    struct entry *next;
    uint32_t module;
    uint32_t specs[PAIL_MAX_SPECS];
    const struct pail_vk_pipeline *pipeline;
};

static struct entry entries[MAX], *list;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pail_vk_pipeline_request requests[MAX];
static const struct pail_vk_pipeline *made[MAX];
static int n_requests;

static const struct pail_vk_pipeline *find_in_list(const struct pail_vk_pipeline_request *r)
{
    const struct pail_kernel *kernel = &pail_kernels[r->kernel];
    const struct pail_variant variant = pail_kernel_narrow(kernel, r->variant);
    char name[PAIL_NAME_MAX];
    pail_variant_name(kernel, variant, name);
    const uint32_t module = pail_variant_index(r->kernel, variant);
    uint32_t specs[PAIL_MAX_SPECS] = {0};
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        specs[i] = r->n_specs ? r->specs[i] : kernel->specs[i].value;
    pthread_mutex_lock(&list_lock);
    const struct entry *e = list;
    while (e && (e->module != module || memcmp(e->specs, specs, sizeof(specs)) != 0))
        e = e->next;
    pthread_mutex_unlock(&list_lock);
    return e ? e->pipeline : NULL;
}

static void add_to_list(struct entry *e, const struct pail_vk_pipeline_request *r,
                        const struct pail_vk_pipeline *pipeline)
{
    const struct pail_kernel *kernel = &pail_kernels[r->kernel];
    e->module = pail_variant_index(r->kernel, pail_kernel_narrow(kernel, r->variant));
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        e->specs[i] = kernel->specs[i].value;
    e->pipeline = pipeline;
    e->next = list;
    list = e;
}

/* The kernels of one group's multiplications, without the accumulators that take long to compile.
 */
static void make_requests(struct pail_vk_device *dev)
{
    const struct pail_variant variant = {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X32, 0};
    for (int k = 0; k < PAIL_KERNEL_PROBE_RATE; k++) {
        struct pail_error err;
        const struct pail_vk_pipeline_request r = {.kernel = (enum pail_kernel_id)k,
                                                   .variant = variant};
        if (k >= PAIL_KERNEL_MSM_WALKER && k <= PAIL_KERNEL_MSM_DEBUG)
            continue;
        if (pail_vk_pipeline_find(dev, &r, &made[n_requests], NULL, &err) != PAIL_OK)
            continue; /* the device cannot have it */
        add_to_list(&entries[n_requests], &r, made[n_requests]);
        requests[n_requests++] = r;
    }
}

/* Nanoseconds for a lookup; every answer is compared. */
static double time_round(struct pail_vk_device *dev)
{
    struct pail_error err;
    const uint64_t start = pail_clock_ns();
    for (int i = 0; i < LOOKUPS; i++) {
        const int k = i % n_requests;
        const struct pail_vk_pipeline *found = NULL;
        if (dev)
            (void)pail_vk_pipeline_find(dev, &requests[k], &found, NULL, &err);
        else
            found = find_in_list(&requests[k]);
        if (found != made[k]) {
            (void)fprintf(stderr, "lookup %d gives another pipeline\n", k);
            exit(1);
        }
    }
    return (double)(pail_clock_ns() - start) / LOOKUPS;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *what, double ns[ROUNDS])
{
    qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
    (void)printf("%-24s %7.1f ns  (%.1f to %.1f)\n", what, ns[ROUNDS / 2], ns[0], ns[ROUNDS - 1]);
}

int main(void)
{
    const struct pail_vk_env env = {0};
    struct pail_vk_instance *instance;
    struct pail_vk_device *dev = NULL;
    struct pail_error err;
    pail_status status = pail_vk_instance_create(&instance, &env, &err);
    if (status == PAIL_OK)
        status = pail_vk_device_create(&dev, instance, 0, NULL, &err);
    if (status != PAIL_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    make_requests(dev);
    double table[ROUNDS], before[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        table[i] = time_round(dev);
        before[i] = time_round(NULL);
    }
    (void)printf("%d pipelines, %d rounds of %d lookups\n", n_requests, ROUNDS, LOOKUPS);
    print("table of the device", table);
    print("list of modules", before);
    pail_vk_device_destroy(&dev);
    pail_vk_instance_destroy(&instance);
    return 0;
}
