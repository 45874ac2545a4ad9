/* Pail: how the ranks of a cluster reach each other. A transport is a library of its own that
 * exports one symbol, PAIL_TRANSPORT_SYMBOL; libpail-mpi.so is one. A program may also hand a table
 * of its own to pail_cluster_open.
 *
 * All ranks call the collective functions (broadcast, gather, scatter) in the same order with the
 * same sizes. One thread at a time. The ranks are machines of one byte order.
 *
 * error: [capacity]: receives one sentence on failure. A function that fails leaves the link of no
 * more use than for `abort` and `close`. */
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

typedef struct pail_link pail_link; /* one rank's end of a cluster */

typedef struct pail_transport {
    uint32_t struct_size;
    uint32_t abi; /* PAIL_TRANSPORT_ABI */
    const char *name, *version;

    /* Joins the others. Out: *link; *rank < *size. */
    pail_status (*open)(pail_link **link, uint32_t *rank, uint32_t *size, char *error,
                        size_t capacity);
    /* Leaves, when all have called it. Legal on a link that is NULL. */
    void (*close)(pail_link **link);
    /* bytes: [n]: in at rank 0, out at the others. */
    pail_status (*broadcast)(pail_link *link, void *bytes, uint64_t n, char *error,
                             size_t capacity);
    /* In: own: [n]. Out, at rank 0: all: [size * n], by rank. */
    pail_status (*gather)(pail_link *link, void *all, const void *own, uint64_t n, char *error,
                          size_t capacity);
    /* Out: own: [ends[rank] - ends[rank - 1]]. In: ends: [size], the same everywhere: where each
     * rank's part ends. all: [ends[size - 1]] at rank 0, which keeps its own part: own is not
     * looked at there. */
    pail_status (*scatter)(pail_link *link, void *own, const void *all, const uint64_t *ends,
                           char *error, size_t capacity);
    pail_status (*send)(pail_link *link, uint32_t to, const void *bytes, uint64_t n, char *error,
                        size_t capacity);
    /* In and out: *from: a rank or PAIL_RANK_ANY; whose message it was. bytes: [n]. A message of
     * another size is PAIL_ERR_INTERNAL. */
    pail_status (*receive)(pail_link *link, uint32_t *from, void *bytes, uint64_t n, char *error,
                           size_t capacity);
    /* Ends all ranks with this exit status; does not return where the transport can do that. */
    void (*abort)(pail_link *link, int exit_status);
} pail_transport;

/* What PAIL_TRANSPORT_SYMBOL is. abi: the host's. Returns PAIL_OK with a table of static storage,
 * or PAIL_ERR_ABI. */
typedef pail_status (*pail_transport_open_fn)(uint32_t abi, const pail_transport **transport);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_TRANSPORT_H */
