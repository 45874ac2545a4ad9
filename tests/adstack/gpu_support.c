/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu_support.h"
#include "support/test.h"

static bool has_int64;

bool ad_has_int64(void)
{
    return has_int64;
}

int ad_run_groups(void)
{
    return test_run("as it is", ad_setup, ad_teardown) +
           (ad_has_int64() ? test_run("pairs", ad_setup_pairs, ad_teardown) : 0);
}

int ad_run_all_groups(void)
{
    return ad_run_groups() + test_run("specialised", ad_setup_specialised, ad_teardown);
}

static int setup(void **state, bool pairs, uint32_t flags)
{
    struct ad_fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    *state = f;
    char words[VK_WORDS_MAX];
    const struct pail_vk_env env = vk_env(&f->host, vk_debug_words_and(words, "poison,nocache"));
    const struct pail_vk_limits_override limits = {.no_int64 = pairs};
    const struct pail_vk_device_params params = {.limits = &limits};
    ASSERT_OK(pail_vk_instance_create(&f->inst, &env, ERR));
    ASSERT_OK(pail_vk_device_create(&f->dev, f->inst, 0, &params, ERR));
    has_int64 = pail_vk_device_caps(f->dev)->int64;
    ASSERT_OK(pail_ad_choices_create(&f->choices, f->dev, ERR));
    const struct pail_ad_bodies bodies = pail_ad_choices_bodies(f->choices);
    ASSERT_OK(pail_ad_gpu_create(&f->gpu, f->dev, &bodies, ERR));
    f->device = pail_ad_gpu_device(f->gpu);
    f->flags = flags;
    return 0;
}

int ad_setup(void **state)
{
    return setup(state, false, PAIL_LAUNCH_INTERPRET);
}

int ad_setup_pairs(void **state)
{
    return setup(state, true, PAIL_LAUNCH_INTERPRET);
}

int ad_setup_specialised(void **state)
{
    return setup(state, false, PAIL_LAUNCH_SPECIALISE);
}

int ad_teardown(void **state)
{
    struct ad_fixture *f = *state;
    pail_ad_gpu_destroy(&f->gpu);
    pail_ad_choices_destroy(&f->choices);
    pail_vk_device_destroy(&f->dev);
    if (f->inst)
        assert_int_equal(vk_complaints(f->inst, &f->host), 0);
    pail_vk_instance_destroy(&f->inst);
    assert_int_equal(atomic_load(&f->host.live), 0);
    free(f);
    return 0;
}

void ad_force_pace(struct ad_fixture *f, double ns)
{
    struct pail_vk_pace *pace = &f->dev->pace;
    pace->limits = true;
    pace->learns = false;
    pace->assumed_ns[PAIL_VK_CELLS] = ns;
    pace->least_groups = 2;
}

void ad_run(struct ad_fixture *f, struct pail_ad_work *work)
{
    work->flags = f->flags;
    ASSERT_OK(f->device->run(f->device->user, work, ERR));
    if (f->dev->pace.limits) { /* a GPU: what is reduced is cut by its pace */
        assert_in_range(work->submissions, 1, UINT32_MAX);
    } else {
        assert_int_equal(work->submissions, 1);
        assert_int_equal(work->waits, 1);
    }
}

uint64_t ad_serial(void)
{
    static atomic_uint_fast64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

uint64_t ad_random(uint64_t *seed)
{
    /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const struct pail_alloc plain;

void ad_launch_make(struct ad_launch *l, struct nodes trees[], uint32_t n,
                    const pail_binding bindings[], uint32_t n_sources)
{
    uint8_t ranks[AD_SOURCES_MAX];
    pail_stack_desc *stacks = calloc(n, sizeof(*stacks));
    assert_true(stacks && n <= AD_STACKS_MAX && n_sources <= AD_SOURCES_MAX);
    *l = (struct ad_launch){0};
    for (uint32_t i = 0; i < n_sources; i++) {
        ranks[i] = (uint8_t)bindings[i].rank;
        l->arrays[i] = array_of(&bindings[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        stacks[i] = (pail_stack_desc){.struct_size = sizeof(stacks[i]),
                                      .element_bytes = 4,
                                      .copies = 1,
                                      .tree = nodes_tree(&trees[i])};
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = stacks, .n_stacks = n};
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "test", .name_bytes = 4, .tasks = &task, .n_tasks = 1,
              .source_rank = ranks, .n_sources = n_sources);
    for (uint32_t i = 0; i < n; i++)
        ASSERT_OK(
            pail_ad_tree_check(&stacks[i].tree, ranks, n_sources, "the test's tree", &plain, ERR));
    ASSERT_OK(pail_ad_program_build(&l->program, &desc, &plain, ERR));
    l->values.value = calloc(l->program->n_slots + 1, sizeof(*l->values.value));
    l->values.known = calloc(l->program->n_slots + 1, 1);
    assert_true(l->values.value && l->values.known);
    for (uint32_t i = 0; i < n; i++) {
        l->roots[i] = l->program->roots[i].slot;
        nodes_free(&trees[i]);
    }
    free(stacks);
    l->work = (struct pail_ad_work){.program = l->program,
                                    .arrays = l->arrays,
                                    .values = &l->values,
                                    .serial = ad_serial(),
                                    .slots = l->roots,
                                    .n_slots = n};
}

void ad_launch_free(struct ad_launch *l)
{
    pail_ad_program_free(l->program, &plain);
    free(l->values.value);
    free(l->values.known);
}

int64_t ad_value(const struct ad_launch *l, uint32_t stack)
{
    const uint32_t slot = l->roots[stack];
    assert_int_equal(l->values.known[slot], 1);
    assert_int_equal(l->values.value[slot].error, 0);
    return l->values.value[slot].v;
}

uint32_t ad_error_kind(const struct ad_launch *l, uint32_t stack)
{
    const uint32_t slot = l->roots[stack];
    assert_int_equal(l->values.known[slot], 1);
    return PAIL_AD_ERROR_KIND(l->values.value[slot].error);
}

struct pail_ad_value ad_host_value(const struct ad_launch *l, uint32_t stack)
{
    struct pail_ad_values values = {
        .value = calloc(l->program->n_slots + 1, sizeof(*values.value)),
        .known = calloc(l->program->n_slots + 1, 1),
    };
    const uint32_t slot = l->roots[stack];
    assert_true(values.value && values.known);
    ASSERT_OK(pail_ad_eval(l->program, l->arrays, &values, &slot, 1, &plain, ERR));
    const struct pail_ad_value value = values.value[slot];
    free(values.value);
    free(values.known);
    return value;
}

pail_binding ad_binding(uint32_t source, pail_dtype dtype, uint32_t rank, const int64_t shape[],
                        const void *host, uint64_t bytes)
{
    return (pail_binding)SIZED(pail_binding, .source = source, .identity = 1 + source,
                               .generation = 1, .host = host, .size_bytes = bytes,
                               .dtype = (uint32_t)dtype, .rank = rank, .shape = shape);
}

void ad_memory_make(struct ad_fixture *f, struct ad_memory *memory, uint64_t bytes)
{
    *memory = (struct ad_memory){0};
    ASSERT_OK(pail_vk_buffer_create(f->dev, &memory->buffer, PAIL_VK_MEMORY_UPLOAD, bytes,
                                    "the test's arrays", ERR));
    assert_int_not_equal(memory->buffer.address, 0);
}

void ad_memory_free(struct ad_fixture *f, struct ad_memory *memory)
{
    pail_vk_buffer_destroy(f->dev, &memory->buffer);
}

uint8_t *ad_memory_move(struct ad_memory *memory, struct pail_ad_array *array, uint64_t misplaced)
{
    int64_t first = 0, end = INT64_C(1) << (array->dtype - PAIL_DTYPE_I8) % 5;
    bool elements = true;
    for (uint32_t k = 0; k < array->rank; k++) {
        const int64_t reach = (array->shape[k] - 1) * array->stride[k];
        elements = elements && array->shape[k] > 0;
        *(reach < 0 ? &first : &end) += reach;
    }
    const uint8_t *host = array->host;
    array->host = NULL;
    if (!elements || !host)
        return NULL;
    const uint64_t at = (memory->used + 7) / 8 * 8 + misplaced;
    memory->used = at + (uint64_t)(end - first);
    assert_true(memory->used <= memory->buffer.size);
    uint8_t *mapped = (uint8_t *)memory->buffer.mapped + at;
    memcpy(mapped, host + first, (size_t)(end - first));
    array->address = memory->buffer.address + at - (uint64_t)first;
    return mapped - first;
}
