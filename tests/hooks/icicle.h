/* SPDX-License-Identifier: Apache-2.0 */
/* ICICLE's functions as bindings of the version PAIL_ICICLE_VERSION (32, 39, 40) declare them. The
 * layouts are written down here once more, so that those of Pail are compared with something. */
#ifndef PAIL_TESTS_ICICLE_H
#define PAIL_TESTS_ICICLE_H

#include "support/test.h"
#include <curves/curve_ops.h>
#include <pail/bases.h>

enum {
    SUCCESS = 0,
    INVALID_DEVICE = 1,
    OUT_OF_MEMORY = 2,
    INVALID_POINTER = 3,
    ALLOCATION_FAILED = 4,
    COPY_FAILED = 6,
    SYNCHRONIZATION_FAILED = 7,
    STREAM_DESTRUCTION_FAILED = 9,
    API_NOT_IMPLEMENTED = 10,
    INVALID_ARGUMENT = 11,
    BACKEND_LOAD_FAILED = 12,
};

typedef struct Device {
    char type[64];
    int id;
} Device;

typedef struct DeviceProperties {
    bool using_host_memory;
    int num_memory_regions;
    bool supports_pinned_memory;
} DeviceProperties;

typedef struct MSMConfig {
    void *stream;
    int precompute_factor, c, bitsize, batch_size;
    bool shared, scalars_on_device, scalars_montgomery, points_on_device, points_montgomery;
    bool results_on_device, is_async;
    void *ext;
} MSMConfig;

typedef struct NTTConfig {
    void *stream;
    uint32_t coset_gen[8];
    int batch_size;
    bool columns_batch;
    int ordering;
    bool in_on_device, out_on_device, is_async;
    void *ext;
} NTTConfig;

typedef struct NTTInitDomainConfig {
    void *stream;
    bool is_async;
    void *ext;
} NTTInitDomainConfig;

typedef struct VecOpsConfig {
    void *stream;
    bool a_on_device, b_on_device, result_on_device, is_async;
    int batch_size;
    bool columns_batch;
    void *ext;
} VecOpsConfig;

#if PAIL_ICICLE_VERSION == 32
typedef int vector_size;
#else
typedef uint64_t vector_size;
#endif

int icicle_load_backend(const char *path, bool is_recursive);
int icicle_load_backend_from_env_or_default(void);
int icicle_set_device(const Device *device);
int icicle_set_default_device(const Device *device);
int icicle_get_active_device(Device *device);
int icicle_is_host_memory(const void *pointer);
int icicle_is_active_device_memory(const void *pointer);
int icicle_get_device_count(int *count);
int icicle_malloc(void **pointer, size_t size);
int icicle_malloc_async(void **pointer, size_t size, void *stream);
int icicle_free(void *pointer);
int icicle_free_async(void *pointer, void *stream);
int icicle_memset(void *pointer, int value, size_t size);
int icicle_memset_async(void *pointer, int value, size_t size, void *stream);
int icicle_get_available_memory(size_t *total, size_t *free);
int icicle_copy(void *dst, const void *src, size_t size);
int icicle_copy_async(void *dst, const void *src, size_t size, void *stream);
int icicle_copy_to_host(void *dst, const void *src, size_t size);
int icicle_copy_to_host_async(void *dst, const void *src, size_t size, void *stream);
int icicle_copy_to_device(void *dst, const void *src, size_t size);
int icicle_copy_to_device_async(void *dst, const void *src, size_t size, void *stream);
int icicle_create_stream(void **stream);
int icicle_destroy_stream(void *stream);
int icicle_stream_synchronize(void *stream);
int icicle_device_synchronize(void);
int icicle_get_device_properties(DeviceProperties *properties);
int icicle_is_device_available(const Device *device);
int icicle_get_registered_devices(char *output, size_t output_size);

void *create_config_extension(void);
void destroy_config_extension(void *ext);
void config_extension_set_int(void *ext, const char *key, int value);
void config_extension_set_bool(void *ext, const char *key, bool value);
int config_extension_get_int(const void *ext, const char *key);
bool config_extension_get_bool(const void *ext, const char *key);
void *clone_config_extension(const void *ext);

/* Functions of one group. */
struct group_api {
    int (*msm)(const void *scalars, const void *points, int n, const MSMConfig *config, void *out);
    int (*precompute)(const void *bases, int n, const MSMConfig *config, void *out);
    int (*affine_convert)(const void *in, size_t n, bool into, const VecOpsConfig *config,
                          void *out);
    int (*projective_convert)(const void *in, size_t n, bool into, const VecOpsConfig *config,
                              void *out);
    bool (*eq)(const void *p, const void *q);
    bool (*is_on_curve)(const void *p);
    void (*ecadd)(const void *p, const void *q, void *r);
    void (*ecsub)(const void *p, const void *q, void *r);
    void (*mul_scalar)(const void *p, const void *k, void *r);
    void (*to_affine)(const void *p, void *r);
    void (*from_affine)(const void *p, void *r);
    void (*generator)(void *r);
    void (*generate_affine)(void *points, int n);
    void (*generate_projective)(void *points, int n);
    void (*base_from_u32)(uint32_t value, void *r);
};

/* Functions of one field. */
struct field_api {
    void (*add)(const void *a, const void *b, void *r);
    void (*sub)(const void *a, const void *b, void *r);
    void (*mul)(const void *a, const void *b, void *r);
    void (*inv)(const void *a, void *r);
    void (*pow)(const void *a, int exponent, void *r);
    void (*from_u32)(uint32_t value, void *r);
    void (*generate)(void *scalars, int n);
};

typedef int vector_function(const void *a, const void *b, vector_size n, const VecOpsConfig *config,
                            void *r);

typedef int map_function(const void *a, vector_size n, const VecOpsConfig *config, void *r);

/* Functions of one curve. */
struct curve_api {
    uint32_t curve; /* of Pail's boundary */
    struct group_api groups[2];
    struct field_api field;
    int (*ntt)(const void *in, int n, int direction, const NTTConfig *config, void *out);
    int (*ecntt)(const void *in, int n, int direction, const NTTConfig *config, void *out);
    int (*init_domain)(const void *root, const NTTInitDomainConfig *config);
    int (*release_domain)(void);
    int (*root_from_domain)(uint64_t log_n, void *root);
    vector_function *vector_add, *vector_sub, *vector_mul, *vector_div;
    vector_function *scalar_add, *scalar_sub, *scalar_mul; /* a: one for each vector */
    map_function *vector_inv, *vector_sum, *vector_product;
    int (*accumulate)(void *a, const void *b, vector_size n, const VecOpsConfig *config);
    int (*convert)(const void *in, size_t n, bool into, const VecOpsConfig *config, void *out);
    int (*bit_reverse)(const void *in, uint64_t n, const VecOpsConfig *config, void *out);
    int (*slice)(const void *in, uint64_t offset, uint64_t stride, uint64_t n_in, uint64_t n_out,
                 const VecOpsConfig *config, void *out);
    int (*transpose)(const void *in, uint32_t rows, uint32_t columns, const VecOpsConfig *config,
                     void *out);
    int (*root)(uint64_t n, void *root); /* a status, in all versions */
};

extern const struct curve_api icicle_curves[2];

/* The device under test, chosen by PAIL_BACKEND as of libpail. */
const Device *icicle_tested(void);

/* Memory of the device with a copy of bytes (NULL: undefined). */
void *icicle_upload(const void *bytes, size_t size);

/* Pail's: the sentence of the last failure, and the end of everything. */
const char *pail_icicle_error(void);
void pail_icicle_close(void);

#define expect_status(call, status) assert_int_equal(call, status)
#define expect_refused(call, status, part)                                                         \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_non_null(strstr(pail_icicle_error(), part));                                        \
    } while (0)

#endif /* PAIL_TESTS_ICICLE_H */
