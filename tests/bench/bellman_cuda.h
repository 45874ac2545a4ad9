/* SPDX-License-Identifier: Apache-2.0 */
/* The part of era-bellman-cuda's interface that bench_peers and the library in its place take, as
 * in src/bellman-cuda.h at a87a309: structs by value, and int for its errors, 0 for none. */
#ifndef PAIL_TESTS_BENCH_BELLMAN_CUDA_H
#define PAIL_TESTS_BENCH_BELLMAN_CUDA_H

#include <stdbool.h>
#include <stddef.h>

enum { BC_RESULTS = 254 }; /* points of a result: the sum over i of 2^i results[i] is the MSM */

struct bc_handle { /* bc_stream, bc_event, bc_mem_pool */
    void *handle;
};

struct bc_msm { /* msm_configuration */
    struct bc_handle pool, stream;
    void *bases;   /* on the device: x, y, Montgomery form */
    void *scalars; /* anywhere: Montgomery form */
    void *results; /* anywhere: [BC_RESULTS] x, y, z below 2p, Montgomery form, Jacobian */
    unsigned log_scalars_count;
    struct bc_handle h2d_copy_finished;
    void (*h2d_copy_finished_callback)(void *);
    void *h2d_copy_finished_callback_data;
    struct bc_handle d2h_copy_finished;
    void (*d2h_copy_finished_callback)(void *);
    void *d2h_copy_finished_callback_data;
};

#endif /* PAIL_TESTS_BENCH_BELLMAN_CUDA_H */
