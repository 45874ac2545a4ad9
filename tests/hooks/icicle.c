/* SPDX-License-Identifier: Apache-2.0 */
/* ICICLE's devices, memory and streams over Pail, as a host uses them. */
#include "icicle.h"

#include <assert.h>
#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static_assert(sizeof(Device) == 68 && offsetof(Device, id) == 64, "Device");
static_assert(sizeof(DeviceProperties) == 12, "DeviceProperties");
static_assert(sizeof(MSMConfig) == 40 && offsetof(MSMConfig, batch_size) == 20 &&
                  offsetof(MSMConfig, shared) == 24 && offsetof(MSMConfig, is_async) == 30,
              "MSMConfig");
static_assert(sizeof(NTTConfig) == 64 && offsetof(NTTConfig, batch_size) == 40 &&
                  offsetof(NTTConfig, ordering) == 48 && offsetof(NTTConfig, is_async) == 54,
              "NTTConfig");
static_assert(sizeof(VecOpsConfig) == 32 && offsetof(VecOpsConfig, batch_size) == 12 &&
                  offsetof(VecOpsConfig, columns_batch) == 16,
              "VecOpsConfig");
static_assert(sizeof(NTTInitDomainConfig) == 24, "NTTInitDomainConfig");

/* ---- Devices --------------------------------------------------------------------------------- */

PAIL_TEST(devices)
{
    char names[256];
    int count = 0;
    Device device = {0}, other = {.type = "CPU", .id = 77}, none = {.type = "METAL"};
    expect_status(icicle_load_backend_from_env_or_default(), SUCCESS);
    expect_status(icicle_load_backend("/opt/icicle/lib/backend", true), SUCCESS);
    expect_refused(icicle_load_backend(NULL, true), INVALID_ARGUMENT, "NULL");
    expect_status(icicle_get_active_device(&device), SUCCESS);
    assert_string_equal(device.type, icicle_tested()->type);
    assert_int_equal(device.id, 0);
    expect_status(icicle_get_registered_devices(names, sizeof(names)), SUCCESS);
    assert_non_null(strstr(names, "CPU"));
    assert_non_null(strstr(names, icicle_tested()->type));
    expect_refused(icicle_get_registered_devices(names, 3), OUT_OF_MEMORY, "not 3");
    expect_refused(icicle_get_registered_devices(NULL, 3), INVALID_POINTER, "NULL");
    expect_status(icicle_is_device_available(icicle_tested()), SUCCESS);
    expect_status(icicle_is_device_available(&none), INVALID_DEVICE);
    expect_refused(icicle_set_device(&none), INVALID_DEVICE, "METAL");
    expect_refused(icicle_set_device(&other), INVALID_DEVICE, "CPU 77");
    expect_refused(icicle_set_device(NULL), INVALID_ARGUMENT, "NULL");
    (void)snprintf(none.type, sizeof(none.type), "ME\033[1m\nTAL");
    expect_refused(icicle_set_device(&none), INVALID_DEVICE, "ME\\x1b[1m\\x0aTAL");
    memset(none.type, 'x', sizeof(none.type));
    expect_refused(icicle_set_device(&none), INVALID_ARGUMENT, "no end");
    expect_refused(icicle_is_device_available(&none), INVALID_ARGUMENT, "no end");
    expect_status(icicle_set_device(icicle_tested()), SUCCESS);
    expect_status(icicle_get_device_count(&count), SUCCESS);
    assert_true(count >= 1);
    expect_refused(icicle_get_device_count(NULL), INVALID_ARGUMENT, "NULL");
    size_t total = 0, left = 0;
    DeviceProperties properties;
    expect_status(icicle_get_available_memory(&total, &left), SUCCESS);
    assert_true(left <= total);
    expect_status(icicle_get_device_properties(&properties), SUCCESS);
    if (!strcmp(icicle_tested()->type, "CPU"))
        assert_true(properties.using_host_memory);
}

static void *active_of_thread(void *argument)
{
    (void)icicle_get_active_device(argument);
    return NULL;
}

PAIL_TEST(a_device_for_each_thread)
{
    const Device cpu = {.type = "CPU"};
    Device device = {0};
    pthread_t thread;
    expect_status(icicle_set_device(&cpu), SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, active_of_thread, &device), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(device.type, icicle_tested()->type); /* the default */
    expect_status(icicle_set_default_device(&cpu), SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, active_of_thread, &device), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(device.type, "CPU");
    pail_icicle_close();
    expect_status(icicle_get_active_device(&device), SUCCESS);
    assert_string_equal(device.type, icicle_tested()->type);
}

/* A host that knows one name gets Pail if the user says so, and otherwise not. */
PAIL_TEST(another_name)
{
    const Device cuda = {.type = "CUDA"};
    Device device = {0};
    char names[256];
    pail_icicle_close();
    expect_status(icicle_is_device_available(&cuda), INVALID_DEVICE);
    expect_refused(icicle_set_device(&cuda), INVALID_DEVICE, "PAIL_ICICLE_ALIAS");
    pail_icicle_close();
    assert_int_equal(setenv("PAIL_ICICLE_ALIAS", "CUDA", 1), 0);
    expect_status(icicle_is_device_available(&cuda), SUCCESS);
    expect_status(icicle_set_device(&cuda), SUCCESS);
    expect_status(icicle_get_active_device(&device), SUCCESS);
    assert_string_equal(device.type, "CUDA");
    expect_status(icicle_get_registered_devices(names, sizeof(names)), SUCCESS);
    assert_non_null(strstr(names, ",CUDA"));
    void *const memory = icicle_upload("pail", 5);
    expect_status(icicle_is_active_device_memory(memory), SUCCESS);
    expect_status(icicle_free(memory), SUCCESS);
    pail_icicle_close();
    assert_int_equal(setenv("PAIL_ICICLE_ALIAS", "CUDA,ROCM", 1), 0);
    expect_status(icicle_is_device_available(&cuda), INVALID_DEVICE);
    assert_int_equal(unsetenv("PAIL_ICICLE_ALIAS"), 0);
    pail_icicle_close();
}

/* The line about it can neither end early nor command a terminal. */
PAIL_TEST(another_name_is_quoted)
{
    char said[512] = "";
    FILE *const file = tmpfile();
    const int kept = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(kept >= 0);
    pail_icicle_close();
    assert_int_equal(setenv("PAIL_ICICLE_ALIAS", "CU\033[1m\nDA", 1), 0);
    assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
    const int status = icicle_load_backend_from_env_or_default();
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    assert_int_equal(unsetenv("PAIL_ICICLE_ALIAS"), 0);
    expect_status(status, SUCCESS);
    rewind(file);
    (void)!fread(said, 1, sizeof(said) - 1, file);
    assert_non_null(strstr(said, "type CU\\x1b[1m\\x0aDA are"));
    assert_int_equal(close(kept), 0);
    assert_int_equal(fclose(file), 0);
    pail_icicle_close();
}

PAIL_TEST(no_backend)
{
    char wanted[32];
    int count = 1;
    (void)snprintf(wanted, sizeof(wanted), "%s", getenv("PAIL_BACKEND"));
    pail_icicle_close();
    assert_int_equal(setenv("PAIL_BACKEND", "nobody", 1), 0);
    expect_refused(icicle_load_backend_from_env_or_default(), BACKEND_LOAD_FAILED, "nobody");
    expect_status(icicle_get_device_count(&count), BACKEND_LOAD_FAILED);
    assert_int_equal(count, 0);
    assert_int_equal(setenv("PAIL_BACKEND", wanted, 1), 0);
    expect_status(icicle_load_backend_from_env_or_default(), SUCCESS);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { BYTES = 100000 };

static void fill(uint8_t *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251 + seed);
}

PAIL_TEST(copies_and_arithmetic)
{
    uint8_t from[BYTES], to[BYTES] = {0};
    fill(from, BYTES, 1);
    uint8_t *const a = icicle_upload(from, BYTES), *const b = icicle_upload(NULL, BYTES);
    expect_status(icicle_copy_to_host(to, a, BYTES), SUCCESS);
    assert_memory_equal(to, from, BYTES);
    expect_status(icicle_is_host_memory(from), SUCCESS);
    expect_status(icicle_is_host_memory(a + 5), INVALID_POINTER);
    expect_status(icicle_is_active_device_memory(a + BYTES - 1), SUCCESS);
    expect_status(icicle_is_active_device_memory(from), INVALID_POINTER);
    /* Pointers within the memory. */
    expect_status(icicle_copy(b + 32, a + 64, 1000), SUCCESS);
    expect_status(icicle_copy_to_device(b, from + 4, 32), SUCCESS);
    expect_status(icicle_copy(to, b, 1032), SUCCESS);
    assert_memory_equal(to, from + 4, 32);
    assert_memory_equal(to + 32, from + 64, 1000);
    expect_status(icicle_memset(b + 12, 0xa5, 16), SUCCESS);
    expect_status(icicle_copy_to_host(to, b, 32), SUCCESS);
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(to[i], i >= 12 && i < 28 ? 0xa5 : from[4 + i]);
    expect_status(icicle_copy(to, from, 100), SUCCESS); /* host to host */
    assert_memory_equal(to, from, 100);
    expect_status(icicle_free(a), SUCCESS);
    expect_status(icicle_free(b), SUCCESS);
}

/* gnark warms a device up by half of its memory, which it frees at once. */
PAIL_TEST(memory_that_nothing_is_written_to)
{
    enum { MIB = 1 << 20, SIZE = 256 };
    struct rusage before, after;
    DeviceProperties properties;
    void *stream = NULL, *memory = NULL;
    expect_status(icicle_get_device_properties(&properties), SUCCESS);
    expect_status(icicle_create_stream(&stream), SUCCESS);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    expect_status(icicle_malloc_async(&memory, (size_t)SIZE * MIB, stream), SUCCESS);
    expect_status(icicle_free_async(memory, stream), SUCCESS);
    expect_status(icicle_stream_synchronize(stream), SUCCESS);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    if (properties.using_host_memory)
        assert_true((after.ru_maxrss - before.ru_maxrss) / 1024 < SIZE / 2);
    expect_status(icicle_destroy_stream(stream), SUCCESS);
}

PAIL_TEST(bad_memory)
{
    uint8_t host[64] = {0};
    void *pointer = host;
    uint8_t *const a = icicle_upload(host, 64);
    const bool is_host = !strcmp(icicle_tested()->type, "CPU");
    expect_refused(icicle_malloc(NULL, 1), INVALID_POINTER, "NULL");
    expect_refused(icicle_malloc(&pointer, SIZE_MAX - 100), ALLOCATION_FAILED,
                   strcmp(icicle_tested()->type, "CPU") ? "malloc" : "malloc: out of host memory");
    assert_null(pointer);
    expect_refused(icicle_copy_to_host(host, a + 1, 64), INVALID_POINTER, "64 bytes do not fit");
    expect_refused(icicle_copy_to_host(host, host, 64), INVALID_POINTER, "no memory of the device");
    expect_refused(icicle_copy_to_device(host, host, 64), INVALID_POINTER, "no memory");
    expect_refused(icicle_copy_to_host(NULL, a, 64), INVALID_POINTER, "NULL");
    expect_refused(icicle_copy_to_device(a, NULL, 64), INVALID_POINTER, "NULL");
    expect_refused(icicle_copy(a, a + 8, 32), INVALID_ARGUMENT, "overlap");
    expect_refused(icicle_memset(host, 0, 64), INVALID_POINTER, "no memory of the device");
    expect_refused(icicle_free(host), INVALID_DEVICE, "no memory");
    expect_refused(icicle_free(NULL), INVALID_DEVICE, "no memory");
    expect_refused(icicle_free(a + 8), INVALID_POINTER, "beginning");
    if (is_host) /* device memory is memory of the host, with the same end */
        expect_refused(icicle_copy_to_host(a, a, 65), INVALID_POINTER, "65 bytes do not fit");
    else
        expect_refused(icicle_copy_to_host(a, a, 8), INVALID_POINTER, "not of the host");
    expect_status(icicle_free(a), SUCCESS);
    expect_refused(icicle_free(a), INVALID_DEVICE, "no memory");
    expect_refused(icicle_copy_to_host(host, a, 8), INVALID_POINTER, "no memory");
    expect_status(icicle_malloc(&pointer, 0), SUCCESS);
    expect_status(icicle_copy_to_host(host, pointer, 0), SUCCESS);
    expect_status(icicle_copy(NULL, NULL, 0), SUCCESS);
    expect_status(icicle_memset(NULL, 0, 0), SUCCESS);
    expect_status(icicle_free(pointer), SUCCESS);
}

PAIL_TEST(memory_of_another_device)
{
    const Device cpu = {.type = "CPU"};
    uint8_t bytes[8] = {1};
    if (!strcmp(icicle_tested()->type, "CPU"))
        return; /* there is one device */
    uint8_t *const a = icicle_upload(bytes, 8);
    expect_status(icicle_set_device(&cpu), SUCCESS);
    expect_status(icicle_is_active_device_memory(a), INVALID_POINTER);
    expect_refused(icicle_copy_to_host(bytes, a, 8), INVALID_POINTER, "another device");
    expect_status(icicle_free(a), SUCCESS); /* whichever is active */
    expect_status(icicle_set_device(icicle_tested()), SUCCESS);
}

/* ---- Streams --------------------------------------------------------------------------------- */

PAIL_TEST(streams_in_order)
{
    enum { STEPS = 40 };
    uint8_t bytes[4096];
    void *streams[2], *scratch = NULL;
    uint8_t *const a = icicle_upload(NULL, 4096), *const b = icicle_upload(NULL, 4096);
    expect_status(icicle_create_stream(&streams[0]), SUCCESS);
    expect_status(icicle_create_stream(&streams[1]), SUCCESS);
    assert_ptr_not_equal(streams[0], streams[1]);
    for (int i = 0; i < STEPS; i++) {
        expect_status(icicle_memset_async(a, i, 4096, streams[0]), SUCCESS);
        expect_status(icicle_copy_async(b, a, 4096, streams[0]), SUCCESS);
    }
    /* A call without a stream comes after all of them. */
    expect_status(icicle_copy_to_host(bytes, b, 4096), SUCCESS);
    for (size_t i = 0; i < sizeof(bytes); i++)
        assert_int_equal(bytes[i], STEPS - 1);
    expect_status(icicle_malloc_async(&scratch, 4096, streams[1]), SUCCESS);
    expect_status(icicle_memset_async(scratch, 9, 4096, streams[1]), SUCCESS);
    expect_status(icicle_copy_async(b, scratch, 4096, streams[1]), SUCCESS);
    expect_status(icicle_free_async(scratch, streams[1]), SUCCESS);
    expect_refused(icicle_memset(scratch, 1, 1), INVALID_POINTER, "no memory");
    expect_status(icicle_copy_to_host_async(bytes, b, 4096, streams[1]), SUCCESS);
    expect_status(icicle_stream_synchronize(streams[1]), SUCCESS);
    assert_int_equal(bytes[77], 9);
    expect_status(icicle_copy_to_device_async(a, bytes, 10, streams[0]), SUCCESS);
    expect_status(icicle_stream_synchronize(NULL), SUCCESS);
    expect_status(icicle_device_synchronize(), SUCCESS);
    /* Work that is queued ends although its memory and its stream are given up. */
    for (int i = 0; i < STEPS; i++)
        expect_status(icicle_memset_async(a, i, 4096, streams[0]), SUCCESS);
    expect_status(icicle_free(a), SUCCESS);
    expect_status(icicle_destroy_stream(streams[0]), SUCCESS);
    expect_status(icicle_destroy_stream(streams[1]), SUCCESS);
    expect_status(icicle_free(b), SUCCESS);
}

/* Transforms that a device does are started by the calls; more of them than are started at a time,
 * before and after work that a thread does, and others whose memory and stream are given up. */
PAIL_TEST(transforms_in_a_stream)
{
    enum { SIZE = 256, PAIRS = 40 };
    const struct curve_api *const api = &icicle_curves[0];
    const NTTInitDomainConfig domain = {0};
    uint8_t in[32 * SIZE] = {0}, out[32 * SIZE], root[32];
    NTTConfig config = {.coset_gen = {1}, .batch_size = 1};
    config.in_on_device = config.out_on_device = config.is_async = true;
    for (size_t i = 0; i < SIZE; i++)
        fill(in + 32 * i, 31, (unsigned)i);
    uint8_t *const a = icicle_upload(in, sizeof(in)), *const b = icicle_upload(NULL, sizeof(in));
    expect_status(api->root(SIZE, root), SUCCESS);
    expect_status(api->init_domain(root, &domain), SUCCESS);
    expect_status(icicle_create_stream(&config.stream), SUCCESS);
    for (int i = 0; i < PAIRS; i++) {
        expect_status(api->ntt(a, SIZE, 0, &config, b), SUCCESS);
        expect_status(api->ntt(b, SIZE, 1, &config, a), SUCCESS);
    }
    expect_status(icicle_memset_async(b, 0, sizeof(in), config.stream), SUCCESS);
    expect_status(icicle_copy_async(b, a, sizeof(in), config.stream), SUCCESS);
    expect_status(api->ntt(b, SIZE, 0, &config, b), SUCCESS);
    expect_status(icicle_stream_synchronize(config.stream), SUCCESS);
    expect_status(icicle_copy_to_host(out, b, sizeof(out)), SUCCESS);
    assert_memory_not_equal(out, in, sizeof(in));
    expect_status(api->ntt(b, SIZE, 1, &config, b), SUCCESS);
    expect_status(icicle_copy_to_host(out, b, sizeof(out)), SUCCESS); /* waits for the stream */
    assert_memory_equal(out, in, sizeof(in));
    for (int i = 0; i < PAIRS; i++)
        expect_status(api->ntt(a, SIZE, 0, &config, b), SUCCESS);
    expect_status(icicle_free(a), SUCCESS);
    expect_status(icicle_free(b), SUCCESS);
    expect_status(icicle_destroy_stream(config.stream), SUCCESS);
    expect_status(api->release_domain(), SUCCESS);
}

static size_t threads_of_process(void)
{
    size_t n = 0;
    DIR *const folder = opendir("/proc/self/task");
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    (void)closedir(folder);
    return n;
}

/* gnark makes three streams for each proof and destroys none: their threads do not stay. */
PAIL_TEST(streams_that_are_left_alone)
{
    enum { STREAMS = 48 };
    void *streams[STREAMS];
    uint8_t *const a = icicle_upload(NULL, 4096), byte = 0;
    const size_t before = threads_of_process();
    for (int round = 0; round < 2; round++) { /* threads come back */
        for (int i = 0; i < STREAMS; i++) {
            if (round == 0)
                expect_status(icicle_create_stream(&streams[i]), SUCCESS);
            expect_status(icicle_memset_async(a + i, i + round, 1, streams[i]), SUCCESS);
        }
        for (int i = 0; i < STREAMS; i++) {
            expect_status(icicle_copy_to_host_async(&byte, a + i, 1, streams[i]), SUCCESS);
            assert_int_equal(byte, i + round);
        }
        for (int tenth = 0; tenth < 100 && threads_of_process() > before + 8; tenth++)
            (void)usleep(100000);
        assert_true(threads_of_process() <= before + 8);
    }
    for (int i = 0; i < STREAMS; i++)
        expect_status(icicle_destroy_stream(streams[i]), SUCCESS);
    expect_status(icicle_free(a), SUCCESS);
}

PAIL_TEST(bad_streams)
{
    uint8_t *const a = icicle_upload(NULL, 64);
    void *stream = NULL;
    expect_refused(icicle_create_stream(NULL), INVALID_POINTER, "NULL");
    expect_status(icicle_create_stream(&stream), SUCCESS);
    expect_status(icicle_destroy_stream(stream), SUCCESS);
    expect_refused(icicle_destroy_stream(stream), STREAM_DESTRUCTION_FAILED, "no stream");
    expect_refused(icicle_stream_synchronize(stream), SYNCHRONIZATION_FAILED, "no stream");
    expect_refused(icicle_memset_async(a, 1, 64, stream), INVALID_ARGUMENT, "no stream");
    expect_status(icicle_destroy_stream(NULL), SUCCESS);
    expect_status(icicle_free(a), SUCCESS);
}

enum { THREADS = 4 };

static void *use_streams(void *argument)
{
    unsigned *const good = argument;
    uint8_t from[512], to[512];
    for (unsigned i = 0; i < 10; i++) {
        void *stream = NULL, *a = NULL, *b = NULL;
        fill(from, sizeof(from), i);
        int status = icicle_create_stream(&stream) | icicle_malloc(&a, 512) |
                     icicle_malloc_async(&b, 512, stream);
        status |= icicle_copy_to_device_async(a, from, 512, stream);
        status |= icicle_copy_async(b, a, 512, stream);
        status |= icicle_free_async(a, stream);
        status |= icicle_copy_to_host_async(to, b, 512, stream);
        status |= icicle_free(b) | icicle_destroy_stream(stream);
        *good += status == SUCCESS && memcmp(from, to, 512) == 0;
    }
    return NULL;
}

PAIL_TEST(threads)
{
    pthread_t ids[THREADS];
    unsigned good[THREADS] = {0};
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, use_streams, &good[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(ids[i], NULL), 0);
        assert_int_equal(good[i], 10);
    }
}

/* ---- Extensions of configurations ------------------------------------------------------------ */

PAIL_TEST(extensions)
{
    void *const ext = create_config_extension();
    assert_non_null(ext);
    config_extension_set_int(ext, "nof_chunks", 3);
    config_extension_set_bool(ext, "fast_twiddles", true);
    config_extension_set_int(ext, "nof_chunks", 5);
    void *const copy = clone_config_extension(ext);
    destroy_config_extension(ext);
    assert_int_equal(config_extension_get_int(copy, "nof_chunks"), 5);
    assert_true(config_extension_get_bool(copy, "fast_twiddles"));
    assert_int_equal(config_extension_get_int(copy, "other"), 0);
    assert_non_null(strstr(pail_icicle_error(), "other was not set"));
    assert_int_equal(config_extension_get_int(copy, "a\nb"), 0);
    assert_non_null(strstr(pail_icicle_error(), "a\\x0ab was not set"));
    assert_int_equal(config_extension_get_int(NULL, "x"), 0);
    assert_null(clone_config_extension(NULL));
    config_extension_set_int(NULL, "x", 1);
    destroy_config_extension(NULL);
    destroy_config_extension(copy);
}

PAIL_FIXTURE(close_all)
{
    pail_icicle_close();
    return 0;
}
PAIL_TEST_GROUP(NULL, close_all)
