/* Entries by bucket: counting sort, pass by pass. */
#include "run.h"

struct pail_vk_range pail_msm_sort_temp(const struct pail_msm_plan *plan)
{
    return pail_msm_range(PAIL_MSM_SHARED, plan->temp,
                          plan->region_bytes[PAIL_MSM_SHARED] - plan->temp);
}

/* One pass. */
struct pass {
    const struct run *run;
    struct msm_sort_push push;
    struct pail_vk_range from, to;
    bool last;
};

static void dispatch(const struct pass *pass, enum pail_kernel_id kernel,
                     struct pail_vk_dispatch dispatch)
{
    const struct run *run = pass->run;
    struct pail_vk_pipeline_request request = pail_msm_request(run->bundle, 0, kernel);
    request.n_specs = pail_msm_sorter_specs(&run->plan->sorter, kernel, request.specs);
    dispatch.request = &request;
    dispatch.push = &pass->push;
    pail_vk_steps_dispatch(run->list, &dispatch);
}

static void add_pass(const struct pass *pass)
{
    const struct run *run = pass->run;
    const struct pail_msm_sorter *sorter = &run->plan->sorter;
    const struct pail_vk_range counts = pail_msm_region_range(run->plan, PAIL_MSM_COUNTS);
    const double entries = (double)pail_msm_run_entries(run) * run->rows;
    const uint64_t counts_each = (uint64_t)pass->push.tiles << pass->push.bits;
    const uint32_t groups =
        sorter->serial ? pail_msm_groups(pass->push.tiles, MSM_SORT_SERIAL) : pass->push.tiles;
    if (!pass->push.first_pass)
        dispatch(pass, PAIL_KERNEL_MSM_SORT_TILES,
                 (struct pail_vk_dispatch){.bindings = {counts}, .grid = {run->rows, 1, 1}});
    dispatch(pass, sorter->count,
             (struct pail_vk_dispatch){.work = pail_msm_words(entries, true),
                                       .bindings = {pass->from, counts},
                                       .grid = {groups, run->rows, 1}});
    dispatch(pass, sorter->scan,
             (struct pail_vk_dispatch){
                 .work = pail_msm_words(2.0 * (double)counts_each * run->rows, true),
                 .bindings = {counts},
                 .grid = {pail_msm_groups((uint64_t)1 << pass->push.bits,
                                          pail_msm_sorter_scan_columns(sorter)),
                          run->rows, pass->push.groups}});
    dispatch(
        pass, pass->last ? sorter->finish : sorter->scatter,
        (struct pail_vk_dispatch){.work = pail_msm_words(3 * entries, true),
                                  .bindings = {pass->from, counts, pass->to,
                                               pail_msm_region_range(run->plan, PAIL_MSM_INDEX)},
                                  .grid = {groups, run->rows, 1}});
}

void pail_msm_steps_sort(const struct run *run)
{
    const struct pail_msm_plan *plan = run->plan;
    const struct pail_vk_range sorted = pail_msm_region_range(plan, PAIL_MSM_SORTED);
    const struct pail_vk_range temp = pail_msm_sort_temp(plan);
    bool in_place = plan->sorting.passes % 2 == 0;
    struct pass pass = {
        .run = run,
        .push =
            {
                .first_row = run->first_row,
                .vector_rows = plan->vector_rows,
                .handle_stride = (uint32_t)run->bundle->handle_stride,
                .copy = run->chunk.n,
                .skip = plan->copies > 1
                            ? pail_msm_run_pitch(run, &run->bundle->sets[0]) - run->chunk.n
                            : 0,
                .keyless = plan->keyless,
            },
    };
    for (uint32_t i = 0; i < plan->sorting.passes; i++, in_place = !in_place) {
        pail_msm_sorting_push(&plan->sorting, i, pail_msm_run_entries(run), plan->starts,
                              &pass.push);
        pass.from = in_place ? sorted : temp;
        pass.to = in_place ? temp : sorted;
        pass.last = i + 1 == plan->sorting.passes;
        add_pass(&pass);
    }
}
