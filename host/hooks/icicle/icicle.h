/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libpail_icicle.so for the libraries with ICICLE's names (names_*.c): one
 * implementation for all versions of ICICLE. Statuses, structs and enums have the values and
 * layouts of ICICLE's binary interface; the rest is Pail's own. docs/from/icicle.md is the page for
 * users.
 *
 * Elements are 32 bytes, coordinates as wide as in <pail/bases.h>, both canonical and little-endian
 * unless a configuration says Montgomery. A projective point is X, Y, Z for (X / Z, Y / Z), and
 * infinity is (0, 1, 0); the affine (0, 0) is infinity. All functions are thread-safe. */
#ifndef PAIL_ICICLE_H
#define PAIL_ICICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/pail.h>

enum icicle_status {
    ICICLE_SUCCESS = 0,
    ICICLE_INVALID_DEVICE = 1,
    ICICLE_OUT_OF_MEMORY = 2,
    ICICLE_INVALID_POINTER = 3,
    ICICLE_ALLOCATION_FAILED = 4,
    ICICLE_DEALLOCATION_FAILED = 5,
    ICICLE_COPY_FAILED = 6,
    ICICLE_SYNCHRONIZATION_FAILED = 7,
    ICICLE_STREAM_CREATION_FAILED = 8,
    ICICLE_STREAM_DESTRUCTION_FAILED = 9,
    ICICLE_API_NOT_IMPLEMENTED = 10,
    ICICLE_INVALID_ARGUMENT = 11,
    ICICLE_BACKEND_LOAD_FAILED = 12,
    ICICLE_LICENSE_CHECK_ERROR = 13,
    ICICLE_UNKNOWN_ERROR = 14,
};

/* Flags are bytes: any value but 0 is true. */
typedef uint8_t icicle_flag;

struct icicle_device_name {
    char type[64]; /* zero-terminated */
    int id;
};

struct icicle_device_properties {
    icicle_flag using_host_memory;
    int num_memory_regions;
    icicle_flag supports_pinned_memory;
};

struct icicle_msm_config {
    void *stream;
    int precompute_factor; /* points of msm_precompute_bases for each base; 1: none */
    int c;                 /* window bits; 0: chosen */
    int bitsize;           /* scalars are below 2^bitsize; 0: any */
    int batch_size;
    icicle_flag are_points_shared_in_batch;
    icicle_flag are_scalars_on_device, are_scalars_montgomery_form;
    icicle_flag are_points_on_device, are_points_montgomery_form;
    icicle_flag are_results_on_device;
    icicle_flag is_async;
    void *ext;
};

enum icicle_direction { ICICLE_FORWARD = 0, ICICLE_INVERSE = 1 };

/* Order of inputs and outputs: natural, bit-reversed, and one that the implementation chooses,
 * which is the bit-reversed one here. */
enum icicle_ordering {
    ICICLE_NN = 0,
    ICICLE_NR = 1,
    ICICLE_RN = 2,
    ICICLE_RR = 3,
    ICICLE_NM = 4,
    ICICLE_MN = 5,
};

struct icicle_ntt_config {
    void *stream;
    uint8_t coset_gen[32];
    int batch_size;
    icicle_flag columns_batch; /* element i of polynomial j has index i * batch_size + j */
    int ordering;              /* icicle_ordering */
    icicle_flag are_inputs_on_device, are_outputs_on_device;
    icicle_flag is_async;
    void *ext;
};

struct icicle_domain_config {
    void *stream;
    icicle_flag is_async;
    void *ext;
};

struct icicle_vectors_config {
    void *stream;
    icicle_flag is_a_on_device, is_b_on_device, is_result_on_device;
    icicle_flag is_async;
    int batch_size;
    icicle_flag columns_batch;
    void *ext;
};

/* ---- Pail's own ------------------------------------------------------------------------------ */

/* The sentence of this thread's last failed call; empty if none failed yet. Also written to stderr
 * when the call fails. Valid until the thread's next failure. */
PAIL_API const char *pail_icicle_error(void);

/* Releases contexts, memory, streams, domains and registered points of all devices. No call may be
 * running; every handle and pointer is invalid then. A later call opens the devices again. */
PAIL_API void pail_icicle_close(void);

/* Says by its name that a function is not offered: ICICLE_API_NOT_IMPLEMENTED. */
PAIL_API int pail_icicle_missing(const char *name);

/* ---- Devices --------------------------------------------------------------------------------- */
PAIL_API int pail_icicle_load(const char *path);
PAIL_API int pail_icicle_set_device(const struct icicle_device_name *name, bool for_all_threads);
PAIL_API int pail_icicle_active_device(struct icicle_device_name *name);
PAIL_API int pail_icicle_device_count(int *count); /* of the active device's type */
PAIL_API int pail_icicle_available(const struct icicle_device_name *name);
PAIL_API int pail_icicle_registered(char *names, size_t capacity);
PAIL_API int pail_icicle_properties(struct icicle_device_properties *properties);
PAIL_API int pail_icicle_memory_left(size_t *total, size_t *left);

/* ---- Memory ---------------------------------------------------------------------------------- */
enum icicle_copy { ICICLE_TO_HOST, ICICLE_TO_DEVICE, ICICLE_ANYWHERE };

PAIL_API int pail_icicle_malloc(void **pointer, size_t bytes);
/* stream: NULL, or the memory is released when the stream's earlier work has ended. */
PAIL_API int pail_icicle_free(void *pointer, void *stream);
PAIL_API int pail_icicle_fill(void *pointer, int value, size_t bytes, void *stream, bool async);
PAIL_API int pail_icicle_copy(void *to, const void *from, size_t bytes, enum icicle_copy direction,
                              void *stream, bool async);
PAIL_API int pail_icicle_is_host(const void *pointer);
PAIL_API int pail_icicle_is_active_device(const void *pointer);

/* ---- Streams --------------------------------------------------------------------------------- */
PAIL_API int pail_icicle_stream_create(void **stream);
PAIL_API int pail_icicle_stream_destroy(void *stream);
PAIL_API int pail_icicle_stream_wait(void *stream); /* NULL: all streams of the active device */

/* ---- Extensions of configurations ------------------------------------------------------------ */
PAIL_API void *pail_icicle_extension_create(void);
PAIL_API void *pail_icicle_extension_clone(const void *extension);
PAIL_API void pail_icicle_extension_destroy(void *extension);
PAIL_API void pail_icicle_extension_set(void *extension, const char *key, int value);
PAIL_API int pail_icicle_extension_get(const void *extension, const char *key); /* 0: no such key */

/* ---- Multiplications ------------------------------------------------------------------------- */
PAIL_API int pail_icicle_msm(uint32_t curve, uint32_t group, const void *scalars,
                             const void *points, int n, const struct icicle_msm_config *config,
                             void *results);
/* Slot i * precompute_factor of the output is base i. The other slots repeat it: Pail makes its
 * tables when it registers the points. */
PAIL_API int pail_icicle_precompute(uint32_t curve, uint32_t group, const void *bases, int n,
                                    const struct icicle_msm_config *config, void *output);

/* ---- Transforms ------------------------------------------------------------------------------ */
PAIL_API int pail_icicle_domain_init(uint32_t curve, const void *root,
                                     const struct icicle_domain_config *config);
PAIL_API int pail_icicle_domain_release(uint32_t curve);
PAIL_API int pail_icicle_domain_root(uint32_t curve, uint64_t log_n, void *root);
PAIL_API int pail_icicle_root(uint32_t curve, uint64_t n, void *root); /* of order at least n */
PAIL_API int pail_icicle_ntt(uint32_t curve, const void *input, int n, int direction,
                             const struct icicle_ntt_config *config, void *output);
/* The same of projective points of G1, canonical. */
PAIL_API int pail_icicle_ecntt(uint32_t curve, const void *input, int n, int direction,
                               const struct icicle_ntt_config *config, void *output);

/* ---- Vectors --------------------------------------------------------------------------------- */
PAIL_API int pail_icicle_vector(uint32_t curve, uint32_t kind /* pail_vector_op_kind */,
                                const void *a, const void *b, uint64_t n,
                                const struct icicle_vectors_config *config, void *result);
/* The same, of what the boundary has no operations for, on the CPU. */
enum icicle_map_kind {
    ICICLE_MAP_ADD,
    ICICLE_MAP_SUB,
    ICICLE_MAP_MUL,
    ICICLE_MAP_DIV, /* a / b; 0 where b is 0 */
    ICICLE_MAP_INV, /* 1 / a; 0 for 0 */
    ICICLE_MAP_SUM, /* one element for each vector of the batch, as of the product */
    ICICLE_MAP_PRODUCT,
};
/* n_a: n, or 1: an element for each vector of the batch. */
PAIL_API int pail_icicle_map(uint32_t curve, enum icicle_map_kind kind, const void *a, uint64_t n_a,
                             const void *b, uint64_t n, const struct icicle_vectors_config *config,
                             void *result);
PAIL_API int pail_icicle_convert(uint32_t curve, const void *input, uint64_t n, bool to_montgomery,
                                 const struct icicle_vectors_config *config, void *output);
PAIL_API int pail_icicle_bit_reverse(const void *input, uint64_t n,
                                     const struct icicle_vectors_config *config, void *output);
PAIL_API int pail_icicle_slice(const void *input, uint64_t offset, uint64_t stride, uint64_t n_in,
                               uint64_t n_out, const struct icicle_vectors_config *config,
                               void *output);
PAIL_API int pail_icicle_transpose(const void *input, uint32_t rows, uint32_t columns,
                                   const struct icicle_vectors_config *config, void *output);

/* Converts coordinates in and out of Montgomery form; of points with two or three of them. */
PAIL_API int pail_icicle_convert_points(uint32_t curve, uint32_t group, uint32_t coordinates,
                                        const void *input, uint64_t n, bool to_montgomery,
                                        const struct icicle_vectors_config *config, void *output);

/* ---- Single elements and points, on the CPU. Any alignment ----------------------------------- */
enum icicle_field {
    ICICLE_SCALAR_FIELD, /* 32 bytes */
    ICICLE_BASE_FIELD,   /* coordinates of G1 */
    ICICLE_G2_FIELD,     /* coordinates of G2: c0, c1 */
};
enum icicle_element_op { ICICLE_ADD, ICICLE_SUB, ICICLE_MUL };

/* Inputs are reduced first. */
PAIL_API void pail_icicle_element(uint32_t curve, enum icicle_field field,
                                  enum icicle_element_op op, const void *a, const void *b,
                                  void *result);
PAIL_API void pail_icicle_inverse(uint32_t curve, enum icicle_field field, const void *a,
                                  void *result); /* of 0: 0 */
PAIL_API void pail_icicle_power(uint32_t curve, enum icicle_field field, const void *a,
                                int exponent, void *result); /* 1 for a negative exponent */
PAIL_API void pail_icicle_from_u32(uint32_t curve, enum icicle_field field, uint32_t value,
                                   void *result);
PAIL_API void pail_icicle_reduce(uint32_t curve, enum icicle_field field, const void *a,
                                 void *result);
PAIL_API bool pail_icicle_equal(uint32_t curve, enum icicle_field field, const void *a,
                                const void *b);
/* False: the system has no random numbers, and the elements are 0. */
PAIL_API bool pail_icicle_random(uint32_t curve, enum icicle_field field, void *elements, int n);

/* A coordinate that is not below the modulus gives zeros, or false. */
enum icicle_point_op { ICICLE_POINT_ADD, ICICLE_POINT_SUB };

PAIL_API void pail_icicle_point(uint32_t curve, uint32_t group, enum icicle_point_op op,
                                const void *p, const void *q, void *result);
PAIL_API void pail_icicle_point_mul(uint32_t curve, uint32_t group, const void *p,
                                    const void *scalar, void *result);
PAIL_API bool pail_icicle_point_equal(uint32_t curve, uint32_t group, const void *p, const void *q);
PAIL_API bool pail_icicle_point_on_curve(uint32_t curve, uint32_t group, const void *p);
PAIL_API void pail_icicle_to_affine(uint32_t curve, uint32_t group, const void *p, void *affine);
PAIL_API void pail_icicle_from_affine(uint32_t curve, uint32_t group, const void *affine, void *p);
PAIL_API void pail_icicle_generator(uint32_t curve, uint32_t group, void *p);
PAIL_API void pail_icicle_points_random(uint32_t curve, uint32_t group, bool affine, void *points,
                                        int n);

#endif /* PAIL_ICICLE_H */
