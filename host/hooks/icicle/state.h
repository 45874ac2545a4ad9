/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, memory and work in order: what the files of libpail_icicle.so share. */
#ifndef PAIL_ICICLE_STATE_H
#define PAIL_ICICLE_STATE_H

#include <stdatomic.h>

#include "icicle.h"

enum { ICICLE_ELEMENT = PAIL_SCALAR_BYTES, ICICLE_CURVES = 2 };

/* Elements or points of one call at most: products of sizes do not overflow then. */
#define ICICLE_COUNT_MAX ((uint64_t)1 << 32)

/* ---- Failures (device.c) --------------------------------------------------------------------- */
/* Keeps the sentence for pail_icicle_error, writes it to stderr, and returns the status. Texts that
 * %s cites are the caller's: they are quoted (pail_line). */
int icicle_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum { ICICLE_SENTENCE = 512 }; /* bytes */

/* Keeps a sentence that another thread has written to stderr. */
void icicle_keep(const char *kept);
void icicle_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Devices (device.c) ---------------------------------------------------------------------- */
/* A root of unity of transforms, of order 2^log_n. */
struct icicle_domain {
    bool set;
    uint32_t log_n;
    uint8_t root[ICICLE_ELEMENT];
};

struct icicle_device {
    const char *type; /* "VULKAN" or "CPU" */
    int id;
    const pail_backend *backend;
    uint32_t index; /* at the backend */
    uint32_t score;
    /* Its memory is memory of the host, because the backend has no other, or the device no
     * addresses. */
    bool host_memory;
    pail_context *context;                       /* NULL until it is used; constant then */
    struct icicle_domain domains[ICICLE_CURVES]; /* guarded by the lock of device.c */
};

/* The calling thread's device, with a context. */
int icicle_device_active(struct icicle_device **device);

/* Copies a domain out, or in where `in` is not NULL. */
struct icicle_domain icicle_device_domain(struct icicle_device *device, uint32_t curve,
                                          const struct icicle_domain *in);

/* The status for a failed call of the device's backend, with its sentence after `what`. */
int icicle_device_fail(const struct icicle_device *device, pail_status status, const char *what);

/* ---- Memory (memory.c) ----------------------------------------------------------------------- */
struct icicle_memory;

/* Bytes that a call reads or writes. */
struct icicle_operand {
    uint8_t *host; /* their address in the host; NULL: they are on the device alone */
    struct icicle_memory *memory; /* referenced; NULL: the caller's memory */
    uint64_t offset, bytes;       /* within the memory */
};

/* Checks a pointer and references its memory. `what` names it in sentences. */
int icicle_operand_take(struct icicle_operand *operand, const char *what, const void *pointer,
                        uint64_t bytes, bool on_device, const struct icicle_device *device);
void icicle_operand_drop(struct icicle_operand *operand);

/* True if the two share bytes. `same`: not if they are the same range. */
bool icicle_operands_overlap(const struct icicle_operand *a, const struct icicle_operand *b,
                             bool same);

/* The bytes in host memory. *copy: NULL, or what icicle_operand_unread wipes and releases. */
int icicle_operand_read(const struct icicle_operand *operand, const uint8_t **bytes,
                        uint8_t **copy);
void icicle_operand_unread(uint8_t *copy);
int icicle_operand_write(const struct icicle_operand *operand, uint64_t offset, const void *bytes,
                         uint64_t n_bytes);

/* To be called before and after something else writes the operand's memory. */
void icicle_operand_changes(const struct icicle_operand *operand);

/* Zeroes bytes in host memory if the work that writes them has failed. Returns its status. */
int icicle_operand_end(const struct icicle_operand *operand, int status);

/* The address on the device; 0 if the bytes are in host memory. */
uint64_t icicle_operand_address(const struct icicle_operand *operand);

/* True if the device's backend reads and writes the bytes where they are, without the host. */
bool icicle_operand_direct(const struct icicle_operand *operand, uint64_t alignment);

/* A number that no other contents of a memory have had; 0 for the caller's memory. */
uint64_t icicle_operand_generation(const struct icicle_operand *operand);

void icicle_memory_clear(void);

/* ---- Work in order (stream.c) ---------------------------------------------------------------- */
enum { ICICLE_ARGS_MAX = 512 }; /* bytes of args */

/* Runs run(args) after the earlier work of the stream (NULL: of all streams of the device), and
 * then drop(args). Returns its status; or, where it is asynchronous and there is a stream, 0 while
 * a thread of the stream runs it with a copy of args. drop is called on every way. */
int icicle_stream_run(struct icicle_device *device, void *stream, bool async,
                      int (*run)(void *args), void (*drop)(void *args), const void *args,
                      size_t bytes);

/* The same, asynchronously, of work that the device does: start(args) begins it and does not wait,
 * and finish(args) waits for its end, in a thread that waits for the stream. False: the stream is
 * none, or has earlier work that is not started; args are the caller's then. */
bool icicle_stream_start(const struct icicle_device *device, void *stream, int (*start)(void *args),
                         int (*finish)(void *args), void (*drop)(void *args), const void *args,
                         size_t bytes);
void icicle_stream_clear(void);

/* ---- Registered points (bases.c) ------------------------------------------------------------- */
struct icicle_points {
    uint32_t curve, group, encoding, table_factor;
    size_t stride; /* 0: packed */
    uint64_t n;
};

/* Registers points, or finds the set of the same memory with the same contents. */
int icicle_bases_get(pail_bases **bases, struct icicle_device *device,
                     const struct icicle_operand *operand, const struct icicle_points *points);
void icicle_bases_put(pail_bases **bases, struct icicle_device *device);

/* True if a call of the device's backend is to be repeated: it was short of the device's memory,
 * and sets or vectors of the device that are not in use were released. */
bool icicle_bases_retry(const struct icicle_device *device, pail_status status);

void icicle_bases_forget(const struct icicle_memory *memory); /* NULL: all, also those in use */

/* ---- Vectors that calls work in (scratch.c) -------------------------------------------------- */
struct icicle_scratch {
    pail_vector *vector; /* of n elements or more than were asked for; any contents */
    struct icicle_device *device;
    uint64_t n;
    uint32_t curve;
};

/* name: of the call, in sentences. */
int icicle_scratch_take(struct icicle_scratch *scratch, struct icicle_device *device,
                        const char *name, uint32_t curve, uint64_t n);
void icicle_scratch_give(struct icicle_scratch *scratch); /* also if taking failed; zeroed then */
/* Releases what is kept for later calls; NULL: of all devices. False: there is none. */
bool icicle_scratch_trim(const struct icicle_device *device);

/* ---- Scalars on the CPU (elements.c) --------------------------------------------------------- */
/* r[i] = a[i] op b[i], i < n; sums and products have one r. Strides are in elements; that of a is 0
 * if it is one element. b: NULL if there is no second operand. */
struct icicle_map {
    uint32_t curve;
    enum icicle_map_kind kind;
    const uint8_t *a, *b;
    uint8_t *r;
    size_t stride_a, stride_b, stride_r, n;
};
void icicle_elements_map(const struct icicle_map *map);

/* ---- Vectors of scalars (vectors.c) ---------------------------------------------------------- */
/* Operations of one start on vectors. */
struct icicle_ops {
    struct icicle_device *device;
    const char *name; /* of the call, in sentences */
    pail_vector_op list[8];
    size_t n;
};

/* Elements first, ..., first + n - 1 of an operand, which go to the beginning of a vector, or come
 * from there. */
struct icicle_elements {
    const struct icicle_operand *operand;
    uint64_t first, n;
    uint32_t encoding; /* pail_encoding of the operand */
};

/* Loads elements: by an operation where the device reaches them, and else at once. */
int icicle_ops_load(struct icicle_ops *ops, pail_vector *vector,
                    const struct icicle_elements *elements);
void icicle_ops_add(struct icicle_ops *ops, const pail_vector_op *op);

/* Runs the operations to their end, and stores elements. */
int icicle_ops_store(struct icicle_ops *ops, const pail_vector *vector,
                     const struct icicle_elements *elements);

/* Runs operations that write into an operand on the device, to their end; or in two parts. */
int icicle_ops_run(struct icicle_ops *ops, const struct icicle_operand *operand);
int icicle_ops_start(const struct icicle_ops *ops, const struct icicle_operand *operand,
                     pail_pending **pending);
int icicle_ops_finish(const struct icicle_ops *ops, const struct icicle_operand *operand,
                      pail_pending **pending);

#endif /* PAIL_ICICLE_STATE_H */
