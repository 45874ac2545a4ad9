/* SPDX-License-Identifier: Apache-2.0 */
/* The transport over MPI. Calls are started and then looked at, with sleeps that become longer:
 * MPI's own waits keep a processor busy, which a rank that computes beside it needs. */
#include <pail/transport.h>

#include <limits.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    TAG = 31,
    SPINS = 2000,           /* looks before the first sleep */
    SLEEP_FIRST_NS = 10000, /* doubled up to the last */
    SLEEP_LAST_NS = 1000000,
    PIECE_MAX = 1 << 28, /* bytes of one message: MPI counts in int */
};

struct pail_link {
    MPI_Comm ranks;
    int rank, size;
    bool ours;             /* MPI was initialised here */
    MPI_Request *requests; /* [size] */
};

__attribute__((format(printf, 4, 5))) static pail_status
say(char *error, size_t capacity, pail_status status, const char *format, ...)
{
    if (capacity > 0) {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error, capacity, format, arguments);
        va_end(arguments);
    }
    return status;
}

/* PAIL_OK, or PAIL_ERR_IO with MPI's own words. */
static pail_status said(int code, const char *what, char *error, size_t capacity)
{
    if (code == MPI_SUCCESS)
        return PAIL_OK;
    char why[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    (void)MPI_Error_string(code, why, &n);
    return say(error, capacity, PAIL_ERR_IO, "MPI cannot %s: %s", what, why);
}

static void pause_for(long ns)
{
    const struct timespec time = {.tv_nsec = ns};
    (void)nanosleep(&time, NULL);
}

/* Waits for n requests that were started. */
static int finish(MPI_Request *requests, int n, MPI_Status *status)
{
    long ns = SLEEP_FIRST_NS;
    for (int looks = 0;; looks++) {
        int done = 0;
        const int code = n == 1 ? MPI_Test(requests, &done, status)
                                : MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS || done)
            return code;
        if (looks < SPINS)
            continue;
        pause_for(ns);
        ns = 2 * ns < SLEEP_LAST_NS ? 2 * ns : SLEEP_LAST_NS;
    }
}

static void mpi_close(pail_link **link)
{
    if (!link || !*link)
        return;
    pail_link *const ours = *link;
    *link = NULL;
    if (ours->ranks != MPI_COMM_NULL)
        (void)MPI_Comm_free(&ours->ranks);
    if (ours->ours)
        (void)MPI_Finalize();
    free(ours->requests);
    free(ours);
}

static pail_status begin(pail_link *link, char *error, size_t capacity)
{
    int is_begun = 0, is_ended = 0, level = MPI_THREAD_SINGLE;
    (void)MPI_Initialized(&is_begun);
    (void)MPI_Finalized(&is_ended);
    if (is_ended)
        return say(error, capacity, PAIL_ERR_UNSUPPORTED,
                   "MPI was finalized in this process, and can be initialised once");
    int code = is_begun ? MPI_Query_thread(&level)
                        : MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    link->ours = !is_begun && code == MPI_SUCCESS;
    if (code == MPI_SUCCESS && level < MPI_THREAD_SERIALIZED)
        return say(error, capacity, PAIL_ERR_UNSUPPORTED,
                   "MPI serves the thread that initialised it alone; MPI_THREAD_SERIALIZED is "
                   "needed");
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &link->ranks);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(link->ranks, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(link->ranks, &link->rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(link->ranks, &link->size);
    return said(code, "begin", error, capacity);
}

static pail_status mpi_open(pail_link **link, uint32_t *rank, uint32_t *size, char *error,
                            size_t capacity)
{
    pail_link *made = calloc(1, sizeof(*made));
    *link = NULL;
    if (!made)
        return say(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for MPI");
    made->ranks = MPI_COMM_NULL;
    pail_status status = begin(made, error, capacity);
    if (status == PAIL_OK) {
        made->requests = malloc((size_t)made->size * sizeof(*made->requests));
        if (!made->requests)
            status =
                say(error, capacity, PAIL_ERR_HOST_MEMORY, "no memory for %d ranks", made->size);
    }
    if (status != PAIL_OK) {
        /* Finalizing would wait for ranks that go on: the launcher ends them with this process. */
        if (made->ours && made->size > 1)
            made->ours = false;
        mpi_close(&made);
        return status;
    }
    *rank = (uint32_t)made->rank;
    *size = (uint32_t)made->size;
    *link = made;
    return PAIL_OK;
}

static pail_status mpi_broadcast(pail_link *link, void *bytes, uint64_t n, char *error,
                                 size_t capacity)
{
    MPI_Request request;
    if (n > PIECE_MAX)
        return say(error, capacity, PAIL_ERR_ARGUMENT, "%llu bytes are too many for a broadcast",
                   (unsigned long long)n);
    int code = MPI_Ibcast(bytes, (int)n, MPI_BYTE, 0, link->ranks, &request);
    if (code == MPI_SUCCESS)
        code = finish(&request, 1, MPI_STATUS_IGNORE);
    return said(code, "broadcast", error, capacity);
}

static pail_status mpi_gather(pail_link *link, void *all, const void *own, uint64_t n, char *error,
                              size_t capacity)
{
    MPI_Request request;
    if (n > PIECE_MAX)
        return say(error, capacity, PAIL_ERR_ARGUMENT, "%llu bytes are too many to be gathered",
                   (unsigned long long)n);
    int code = MPI_Igather(own, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, 0, link->ranks, &request);
    if (code == MPI_SUCCESS)
        code = finish(&request, 1, MPI_STATUS_IGNORE);
    return said(code, "gather", error, capacity);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Sends in pieces, to all ranks at a time. */
static int scatter_from(pail_link *link, const uint8_t *all, const uint64_t *ends)
{
    int code = MPI_SUCCESS;
    for (uint64_t at = 0, more = 1; more && code == MPI_SUCCESS; at += PIECE_MAX) {
        int n = 0;
        more = 0;
        for (int i = 1; i < link->size && code == MPI_SUCCESS; i++) {
            const uint64_t bytes = ends[i] - ends[i - 1];
            if (at >= bytes)
                continue;
            code = MPI_Isend(all + ends[i - 1] + at, (int)least(bytes - at, PIECE_MAX), MPI_BYTE, i,
                             TAG, link->ranks, &link->requests[n++]);
            more |= bytes - at > PIECE_MAX;
        }
        if (code == MPI_SUCCESS && n > 0)
            code = finish(link->requests, n, MPI_STATUS_IGNORE);
    }
    return code;
}

static pail_status mpi_scatter(pail_link *link, void *own, const void *all, const uint64_t *ends,
                               char *error, size_t capacity)
{
    int code = MPI_SUCCESS;
    if (link->rank == 0)
        return said(scatter_from(link, all, ends), "scatter", error, capacity);
    const uint64_t bytes = ends[link->rank] - ends[link->rank - 1];
    for (uint64_t at = 0; at < bytes && code == MPI_SUCCESS; at += PIECE_MAX) {
        MPI_Request request;
        code = MPI_Irecv((uint8_t *)own + at, (int)least(bytes - at, PIECE_MAX), MPI_BYTE, 0, TAG,
                         link->ranks, &request);
        if (code == MPI_SUCCESS)
            code = finish(&request, 1, MPI_STATUS_IGNORE);
    }
    return said(code, "scatter", error, capacity);
}

static pail_status mpi_send(pail_link *link, uint32_t to, const void *bytes, uint64_t n,
                            char *error, size_t capacity)
{
    MPI_Request request;
    if (n > INT_MAX)
        return say(error, capacity, PAIL_ERR_ARGUMENT, "%llu bytes are too many for a message",
                   (unsigned long long)n);
    int code = MPI_Isend(bytes, (int)n, MPI_BYTE, (int)to, TAG, link->ranks, &request);
    if (code == MPI_SUCCESS)
        code = finish(&request, 1, MPI_STATUS_IGNORE);
    return said(code, "send", error, capacity);
}

static pail_status mpi_receive(pail_link *link, uint32_t *from, void *bytes, uint64_t n,
                               char *error, size_t capacity)
{
    MPI_Request request;
    MPI_Status status;
    const int source = *from == PAIL_RANK_ANY ? MPI_ANY_SOURCE : (int)*from;
    if (n > INT_MAX)
        return say(error, capacity, PAIL_ERR_ARGUMENT, "%llu bytes are too many for a message",
                   (unsigned long long)n);
    int code = MPI_Irecv(bytes, (int)n, MPI_BYTE, source, TAG, link->ranks, &request);
    if (code == MPI_SUCCESS)
        code = finish(&request, 1, &status);
    if (code != MPI_SUCCESS)
        return said(code, "receive", error, capacity);
    int got = 0;
    (void)MPI_Get_count(&status, MPI_BYTE, &got);
    *from = (uint32_t)status.MPI_SOURCE;
    if ((uint64_t)got != n)
        return say(error, capacity, PAIL_ERR_INTERNAL, "rank %u sent %d bytes in place of %llu",
                   *from, got, (unsigned long long)n);
    return PAIL_OK;
}

static void mpi_abort(pail_link *link, int exit_status)
{
    (void)MPI_Abort(link ? link->ranks : MPI_COMM_WORLD, exit_status);
}

static const pail_transport transport = {
    .struct_size = sizeof(transport),
    .abi = PAIL_TRANSPORT_ABI,
    .name = "mpi",
    .version = PAIL_VERSION,
    .open = mpi_open,
    .close = mpi_close,
    .broadcast = mpi_broadcast,
    .gather = mpi_gather,
    .scatter = mpi_scatter,
    .send = mpi_send,
    .receive = mpi_receive,
    .abort = mpi_abort,
};

__attribute__((visibility("default"))) pail_status
pail_transport_open(uint32_t abi, const pail_transport **table);

pail_status pail_transport_open(uint32_t abi, const pail_transport **table)
{
    *table = abi == PAIL_TRANSPORT_ABI ? &transport : NULL;
    return *table ? PAIL_OK : PAIL_ERR_ABI;
}
