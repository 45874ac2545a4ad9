// SPDX-License-Identifier: Apache-2.0
/* A task of such a compiler in both of its forms, sized by way of adapter.hpp over arrays in host
 * memory. usage: adstack-adapter /path/to/libpail-vulkan.so */
#include "adapter.hpp"
#include "trees.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace
{

enum { ROWS, GATED, N_ROWS = 6 };

/* max over i in [0, rows.shape[0]) of rows[i]: the pushes of `for j in range(rows[i])` */
compiler::expression longest_row()
{
    compiler::node zero, end, row, longest;
    end.kind = 8, end.arg_id_path = {ROWS}, end.arg_shape_axis = 0;
    row.kind = 9, row.const_value = PAIL_DTYPE_I32, row.arg_id_path = {ROWS}, row.indices = {-1};
    longest.kind = 6, longest.var_id = 0;
    longest.operand_a = 0, longest.operand_b = 1, longest.body_node_idx = 2;
    return {{zero, end, row, longest}};
}

/* if gated[i] > 0: */
compiler::gate positive()
{
    compiler::gate gate;
    gate.cmp_op = 17; /* its number of > */
    gate.loop_iter_static = N_ROWS;
    return gate;
}

pail_binding array_of(uint64_t identity, uint64_t generation, const void *host, uint64_t bytes)
{
    static const int64_t shape[] = {N_ROWS};
    pail_binding array = {};
    array.identity = identity, array.generation = generation;
    array.host = host, array.size_bytes = bytes, array.rank = 1, array.shape = shape;
    return array;
}

bool is(const char *name, uint64_t value, uint64_t wanted)
{
    std::printf("%s: %" PRIu64 "\n", name, value);
    return value == wanted;
}

bool run(const pail_backend *api, pail_context *context)
{
    compiler::task words;
    words.allocas = {{compiler::heap::FLOAT, 1, longest_row()}, {compiler::heap::INT, 4, {}}};
    words.bound_expr = positive();
    compiler::wide_task wide;
    wide.allocas = {{1, 16, compiler::heap::FLOAT},
                    {4, 8, compiler::heap::INT}}; /* doubles, ints */
    wide.size_exprs = {longest_row(), {}};
    wide.task_id_in_kernel = 1;

    adapter::kernel kernel(api, context, "rows_grad");
    kernel.add_task(0, words);
    kernel.add_wide_task(wide);
    const std::vector<uint32_t> ids = kernel.register_all();

    int32_t rows[N_ROWS] = {2, 3, 1, 2, 0, 3};
    const float gated[N_ROWS] = {1, 0, -1, 2.5f, 0, 0};
    bool right = true;
    for (uint64_t write = 0; write < 2; write++) {
        kernel.bind_argument({ROWS}, array_of(1, write, rows, sizeof rows));
        kernel.bind_gate(0, array_of(2, 0, gated, sizeof gated));
        kernel.size({64, 8}, write);
        const uint64_t longest = write ? 40 : 3;
        const adapter::wide_sizes sizes = kernel.wide(1);
        right = is("entries, of the task with words", kernel.words(0)[3], longest) && right;
        right = is("bytes of its rows", kernel.heaps(0).heap_float, 2 * 2 * 4 * longest) && right;
        right = is("entries, of the other task", sizes.max_sizes[0], longest) && right;
        right = is("its stride of ints", sizes.stride_int, 8 + 4 * 8) && right;
        rows[2] = 40; /* and a new generation */
    }
    rows[2] = 50; /* without a new generation: the kernel pushes more than there is room for */
    const pail_diagnosis diagnosis = kernel.diagnose(1, ids[0], 1);
    std::printf("%s\n", diagnosis.text);
    return is("entries required", static_cast<uint64_t>(diagnosis.required), 50) && right &&
           diagnosis.cause == PAIL_CAUSE_UNTRACKED_WRITE;
}

} /* namespace */

int main(int argc, char **argv)
{
    const pail_host host = {sizeof host, PAIL_ABI_MAJOR, PAIL_ABI_MINOR, 0,
                            nullptr,     nullptr,        nullptr,        nullptr};
    pail_context_params params = {};
    params.struct_size = sizeof params, params.device = PAIL_DEVICE_BEST;
    const pail_backend *api = nullptr;
    pail_context *context = nullptr;
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    const auto open = reinterpret_cast<pail_backend_open_fn>(
        plugin ? dlsym(plugin, PAIL_BACKEND_SYMBOL) : nullptr);
    if (!open)
        return std::fprintf(stderr, "%s\n",
                            argc == 2 ? dlerror() : "usage: adstack-adapter PLUGIN"),
               1;
    pail_status status = open(&host, &api);
    if (status == PAIL_OK)
        status = api->context_create(&host, &context, &params);
    if (status != PAIL_OK)
        return std::fprintf(stderr, "status %d: %s\n", static_cast<int>(status),
                            api ? api->error(nullptr) : "the plugin does not fit"),
               1;
    bool right = false;
    try {
        right = run(api, context);
    } catch (const adapter::refused &why) {
        std::fprintf(stderr, "%s\n", why.what());
    }
    api->context_destroy(&context);
    return dlclose(plugin) != 0 || !right;
}
