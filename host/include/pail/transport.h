/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: the communication layer of a cluster. A transport is a library that exports one symbol,
 * PAIL_TRANSPORT_SYMBOL, such as libpail-mpi.so. A program may also pass its own table to
 * pail_cluster_open.
 *
 * All ranks call the collective functions (broadcast, gather, scatter) in the same order with the
 * same sizes. Functions are called by one thread at a time. All ranks have the same byte order.
 *
 * error: [capacity]: receives one sentence on failure. After a failure only `abort` and `close` may
 * be called. */
#ifndef PAIL_TRANSPORT_H
#define PAIL_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_TRANSPORT_ABI    1 /* changes with every change of the table */
#define PAIL_TRANSPORT_SYMBOL "pail_transport_open"
#define PAIL_RANK_ANY         0xffffffffu

typedef struct pail_link pail_link; /* the connection of one rank */

typedef struct pail_transport {
    uint32_t struct_size;
    uint32_t abi; /* PAIL_TRANSPORT_ABI */
    const char *name, *version;

    /* Connects to the other ranks. Out: *link; *rank < *size. */
    pail_status (*open)(pail_link **link, uint32_t *rank, uint32_t *size, char *error,
                        size_t capacity);
    /* Disconnects once all ranks have called it. *link may be NULL. */
    void (*close)(pail_link **link);
    /* bytes: [n]: input at rank 0, output on the others. */
    pail_status (*broadcast)(pail_link *link, void *bytes, uint64_t n, char *error,
                             size_t capacity);
    /* In:  own: [n]. Out, at rank 0: all: [size * n], by rank. */
    pail_status (*gather)(pail_link *link, void *all, const void *own, uint64_t n, char *error,
                          size_t capacity);
    /* Out: own: [ends[rank] - ends[rank - 1]].
     * In:  ends: [size], equal on all ranks: the end of each rank's part. all: [ends[size - 1]],
     *      read at rank 0, where own is ignored. */
    pail_status (*scatter)(pail_link *link, void *own, const void *all, const uint64_t *ends,
                           char *error, size_t capacity);
    pail_status (*send)(pail_link *link, uint32_t to, const void *bytes, uint64_t n, char *error,
                        size_t capacity);
    /* In and out: *from: in: a rank or PAIL_RANK_ANY; out: the sender.
     * Out: bytes: [n]. A message of another size is PAIL_ERR_INTERNAL. */
    pail_status (*receive)(pail_link *link, uint32_t *from, void *bytes, uint64_t n, char *error,
                           size_t capacity);
    /* Terminates all ranks with this exit status; returns only if the transport cannot do that. */
    void (*abort)(pail_link *link, int exit_status);
} pail_transport;

/* The type of PAIL_TRANSPORT_SYMBOL. abi: PAIL_TRANSPORT_ABI of the caller. Returns PAIL_OK and a
 * table in static storage, or PAIL_ERR_ABI. */
typedef pail_status (*pail_transport_open_fn)(uint32_t abi, const pail_transport **transport);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_TRANSPORT_H */
