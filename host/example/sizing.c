/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes the history stack of a kernel whose arrays are in host memory, with <pail/backend.h> and
 * dlopen alone. Each thread of the kernel pushes an entry per element of its row in a ragged array,
 * so that the stack's depth is the longest row. usage: sizing /path/to/libpail-vulkan.so */
#include <dlfcn.h>
#include <inttypes.h>
#include <pail/adstack_build.h>
#include <pail/backend.h>
#include <stdio.h>

enum { STARTS, N_SOURCES, ROWS = 4 };

/* max over i in [0, shape - 1) of starts[i + 1] - starts[i] */
static pail_status build_longest_row(pail_tree_builder *b, pail_tree *tree)
{
    const int32_t zero = pail_tree_const(b, 0), one = pail_tree_const(b, 1);
    const int32_t next = pail_tree_op(b, PAIL_NODE_ADD, pail_tree_variable(b, 0), one);
    const int32_t begin =
        pail_tree_read(b, STARTS, PAIL_DTYPE_I32, 1, (const int64_t[]){PAIL_TREE_INDEX(0)});
    const int32_t end = pail_tree_read_at(b, STARTS, PAIL_DTYPE_I32, 1, &next);
    const int32_t row = pail_tree_op(b, PAIL_NODE_SUB, end, begin);
    const int32_t rows = pail_tree_op(b, PAIL_NODE_SUB, pail_tree_shape(b, STARTS, 0), one);
    return pail_tree_end(b, pail_tree_max_over(b, 0, zero, rows, row), tree);
}

static pail_status register_kernel(const pail_backend *api, pail_context *context,
                                   pail_adstack_kernel *kernel)
{
    static const uint8_t rank[N_SOURCES] = {1};
    pail_node nodes[16];
    int64_t indices[2];
    pail_tree_builder builder = pail_tree_begin(nodes, 16, indices, 2);
    pail_stack_desc stack = {.struct_size = sizeof stack, .element_bytes = 8, .copies = 2};
    const pail_task_desc task = {.struct_size = sizeof task, .stacks = &stack, .n_stacks = 1};
    pail_kernel_desc desc = {.struct_size = sizeof desc, .name = "rows", .name_bytes = 4};
    desc.tasks = &task, desc.n_tasks = 1, desc.source_rank = rank, desc.n_sources = N_SOURCES;
    uint32_t id;
    const pail_status status = build_longest_row(&builder, &stack.tree);
    return status == PAIL_OK ? api->adstack_register(context, kernel, &id, &desc) : status;
}

/* Depth of the stack for these starts. The generation changes with every write to them. */
static uint64_t size_launch(const pail_backend *api, pail_context *context,
                            pail_adstack_kernel kernel, const int32_t starts[ROWS + 1],
                            uint64_t generation)
{
    static const int64_t shape[] = {ROWS + 1};
    pail_binding array = {.struct_size = sizeof array, .source = STARTS, .identity = 1};
    array.host = starts, array.size_bytes = (ROWS + 1) * sizeof starts[0];
    array.dtype = PAIL_DTYPE_I32, array.rank = 1, array.shape = shape;
    array.generation = generation;
    const pail_task_launch task = {.struct_size = sizeof task, .threads = ROWS};
    pail_launch launch = {.struct_size = sizeof launch, .kernel = kernel};
    launch.bindings = &array, launch.n_bindings = N_SOURCES, launch.tasks = &task,
    launch.n_tasks = 1;
    pail_adstack_result *result = NULL;
    pail_stack_size stack = {.struct_size = sizeof stack};
    pail_task_size size = {.struct_size = sizeof size};
    pail_status status = api->adstack_evaluate(context, &result, &launch);
    if (status == PAIL_OK)
        status = api->adstack_stack_size(result, &stack, 0, 0);
    if (status == PAIL_OK)
        status = api->adstack_task_size(result, &size, 0);
    api->adstack_release(result);
    if (status != PAIL_OK)
        return fprintf(stderr, "status %d: %s\n", (int)status, api->error(context)), 0;
    printf("%" PRIu64 " entries in each thread's stack, %" PRIu64 " bytes in all%s\n",
           stack.capacity, size.heap_float, stack.origin == PAIL_SIZE_CACHED ? ", cached" : "");
    return stack.capacity;
}

int main(int argc, char **argv)
{
    int32_t starts[ROWS + 1] = {0, 3, 3, 10, 12};
    const pail_host host = {sizeof host, PAIL_ABI_MAJOR, PAIL_ABI_MINOR, 0, NULL, NULL, NULL, NULL};
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
    const pail_backend *api = NULL;
    pail_context *context = NULL;
    pail_adstack_kernel kernel = 0;

    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    pail_backend_open_fn open = NULL;
    if (plugin)
        *(void **)&open = dlsym(plugin, PAIL_BACKEND_SYMBOL);
    if (!open)
        return fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: sizing PLUGIN"), 1;
    pail_status status = open(&host, &api);
    if (status != PAIL_OK || !PAIL_HAS(api, adstack_release))
        return fprintf(stderr, "%s: does not fit (status %d)\n", argv[1], (int)status), 1;

    status = api->context_create(&host, &context, &params);
    if (status == PAIL_OK)
        status = register_kernel(api, context, &kernel);
    if (status != PAIL_OK)
        return fprintf(stderr, "status %d: %s\n", (int)status, api->error(context)), 1;
    int right = size_launch(api, context, kernel, starts, 1) == 7;
    right = right && size_launch(api, context, kernel, starts, 1) == 7;
    starts[ROWS] = 40; /* the kernel's own program wrote to the array */
    right = right && size_launch(api, context, kernel, starts, 2) == 30;
    status = api->adstack_unregister(context, kernel);
    api->context_destroy(&context);
    return dlclose(plugin) != 0 || status != PAIL_OK || !right;
}
