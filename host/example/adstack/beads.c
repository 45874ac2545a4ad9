/* SPDX-License-Identifier: Apache-2.0 */
#include "beads.h"

#include <math.h>
#include <string.h>

/* Numbers of a small generator (Knuth's 64-bit linear congruential one), in [0, 1). */
static double next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 40) / (1 << 24);
}

static const float *floats_of(const struct memory *memory)
{
    return memory->mapped;
}

static const int32_t *ints_of(const struct memory *memory)
{
    return memory->mapped;
}

static void make_floats(const struct gpu *gpu, struct memory *memory, double least, double most,
                        uint64_t seed)
{
    memory_make(gpu, memory, N_BEADS * sizeof(float));
    float *const numbers = memory->mapped;
    for (int p = 0; p < N_BEADS; p++)
        numbers[p] = (float)(least + (most - least) * next_number(&seed));
}

void beads_make(const struct gpu *gpu, struct beads *beads)
{
    make_floats(gpu, &beads->x, -1.2, 1.2, 1);
    make_floats(gpu, &beads->drive, -1.0, 2.5, 2);
    make_floats(gpu, &beads->target, -1.0, 1.0, 3);
    memory_make(gpu, &beads->steps, N_BEADS * sizeof(int32_t));
    memory_make(gpu, &beads->substeps, N_SUBSTEPS * sizeof(int32_t));
    make_floats(gpu, &beads->loss, 0, 0, 0);
    make_floats(gpu, &beads->end, 0, 0, 0);
    make_floats(gpu, &beads->grad_x, 0, 0, 0);
    make_floats(gpu, &beads->grad_drive, 0, 0, 0);
}

void beads_free(const struct gpu *gpu, struct beads *beads)
{
    struct memory *const all[] = {&beads->x,     &beads->drive,    &beads->target,
                                  &beads->steps, &beads->substeps, &beads->loss,
                                  &beads->end,   &beads->grad_x,   &beads->grad_drive};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        memory_free(gpu, all[i]);
}

void beads_set_counts(struct beads *beads, int32_t most, int32_t most_sub, uint32_t seed)
{
    uint64_t state = seed;
    int32_t *const steps = beads->steps.mapped, *const substeps = beads->substeps.mapped;
    for (int p = 0; p < N_BEADS; p++)
        steps[p] = (int32_t)((most + 1) * next_number(&state));
    for (int i = 0; i < N_SUBSTEPS; i++)
        substeps[i] = (int32_t)((most_sub + 1) * next_number(&state));
}

void beads_depths(const struct beads *beads, int64_t *deepest_x, int64_t *deepest_step)
{
    const int32_t *const steps = ints_of(&beads->steps), *const substeps =
                                                             ints_of(&beads->substeps);
    *deepest_x = *deepest_step = 0;
    for (int p = 0; p < N_BEADS; p++) {
        int64_t depth = 0;
        for (int step = 0; step < steps[p]; step++)
            depth += substeps[(p + step) % N_SUBSTEPS];
        *deepest_x = depth > *deepest_x ? depth : *deepest_x;
        *deepest_step = steps[p] > *deepest_step ? steps[p] : *deepest_step;
    }
}

/* The loss of bead p that starts at x with that drive. */
static double loss_of(const struct beads *beads, int p, double x, double drive)
{
    const double h = 0.05, c = 0.02;
    double loss = 0;
    for (int step = 0; step < ints_of(&beads->steps)[p]; step++) {
        const int32_t substeps = ints_of(&beads->substeps)[(p + step) % N_SUBSTEPS];
        for (int32_t i = 0; i < substeps; i++)
            x += h * (drive - x * x * x);
        if (x > 1)
            x = 1.5 - 0.5 * x;
        loss += 0.5 * c * x * x;
    }
    const double miss = x - (double)floats_of(&beads->target)[p];
    return loss + 0.5 * miss * miss;
}

static double worse(double so_far, double is, double wanted)
{
    const double error = fabs(is - wanted) / (1 + fabs(wanted));
    return error > so_far || isnan(error) ? error : so_far;
}

double beads_check(struct beads *beads)
{
    const double step = 1e-5;
    double worst = 0;
    for (int p = 0; p < N_BEADS; p++) {
        const double x = (double)floats_of(&beads->x)[p];
        const double drive = (double)floats_of(&beads->drive)[p];
        const double by_x =
            (loss_of(beads, p, x + step, drive) - loss_of(beads, p, x - step, drive)) / (2 * step);
        const double by_drive =
            (loss_of(beads, p, x, drive + step) - loss_of(beads, p, x, drive - step)) / (2 * step);
        worst = worse(worst, (double)floats_of(&beads->loss)[p], loss_of(beads, p, x, drive));
        worst = worse(worst, (double)floats_of(&beads->grad_x)[p], by_x);
        worst = worse(worst, (double)floats_of(&beads->grad_drive)[p], by_drive);
    }
    /* All bits set is not a number: a launch that does nothing is not taken for a good one. */
    memset(beads->loss.mapped, 0xff, N_BEADS * sizeof(float));
    memset(beads->grad_x.mapped, 0xff, N_BEADS * sizeof(float));
    memset(beads->grad_drive.mapped, 0xff, N_BEADS * sizeof(float));
    return worst;
}
