/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <platform/file.h>
#include <platform/memory.h>
#include <platform/thread.h>

#include "report.h"

/* ---- Files ----------------------------------------------------------------------------------- */

enum {
    THREADS_MAX = 8,
    AHEAD = 8, /* pieces requested from the disk before they are read */
};

static const size_t piece_bytes = (size_t)4 << 20;   /* bytes that a thread reads at a time */
static const size_t threads_from = (size_t)32 << 20; /* fewer bytes are read by the caller alone */
static const size_t huge_page_bytes = (size_t)2 << 20; /* on x86-64; elsewhere only a rounding */
static const size_t huge_pages_from = (size_t)16 << 20;

pail_status pail_file_open_as(struct pail_file *file, const char *path, const char *name,
                              char *error, size_t error_cap)
{
    *file = (struct pail_file){0};
    pail_status status = PAIL_OK;
    if (path[0] == '\0')
        return pail_report(error, error_cap, PAIL_ERR_IO, "\"\" names no file");
    /* O_NONBLOCK: opening a pipe that has no writer would wait for one. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return pail_report(error, error_cap, PAIL_ERR_IO, "%s: cannot be opened: %s", name,
                           strerror(errno));
    struct stat st;
    if (fstat(fd, &st) != 0)
        status = pail_report(error, error_cap, PAIL_ERR_IO, "%s: cannot be examined: %s", name,
                             strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = pail_report(error, error_cap, PAIL_ERR_IO, "%s: is %s, not a regular file", name,
                             pail_file_type(st.st_mode));
    else if ((uintmax_t)st.st_size > SIZE_MAX)
        status =
            pail_report(error, error_cap, PAIL_ERR_IO, "%s: %jd bytes do not fit the address space",
                        name, (intmax_t)st.st_size);
    if (status != PAIL_OK)
        (void)close(fd);
    else
        *file =
            (struct pail_file){.path = name, .size = (size_t)st.st_size, .fd = fd, .open = true};
    return status;
}

pail_status pail_file_open(struct pail_file *file, const char *path, char *error, size_t error_cap)
{
    return pail_file_open_as(file, path, path, error, error_cap);
}

void pail_file_close(struct pail_file *file)
{
    if (file->open)
        (void)close(file->fd);
    *file = (struct pail_file){0};
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* A read that several threads share. */
struct reading {
    int fd;
    uint8_t *to;
    size_t size, offset;
    atomic_size_t next;   /* piece */
    atomic_size_t failed; /* 1 + the first missing byte that a thread met */
    atomic_int reason;    /* errno; 0: the file ends before it */
};

static void fail(struct reading *reading, size_t at, int reason)
{
    size_t none = 0;
    if (atomic_compare_exchange_strong(&reading->failed, &none, at + 1))
        atomic_store(&reading->reason, reason);
}

static void read_piece(struct reading *reading, size_t begin, size_t end)
{
    while (begin < end) {
        const ssize_t got =
            pread(reading->fd, reading->to + begin, end - begin, (off_t)(reading->offset + begin));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fail(reading, reading->offset + begin, got < 0 ? errno : 0);
            return;
        }
        begin += (size_t)got;
    }
}

static void *read_pieces(void *argument)
{
    struct reading *const reading = argument;
    while (atomic_load(&reading->failed) == 0) {
        const size_t begin = atomic_fetch_add(&reading->next, 1) * piece_bytes;
        if (begin >= reading->size)
            break;
        const size_t left = reading->size - begin;
        if (left > AHEAD * piece_bytes)
            (void)posix_fadvise(reading->fd, (off_t)(reading->offset + begin + AHEAD * piece_bytes),
                                (off_t)piece_bytes, POSIX_FADV_WILLNEED);
        read_piece(reading, begin, begin + (left < piece_bytes ? left : piece_bytes));
    }
    return NULL;
}

static size_t count_threads(size_t size)
{
    if (size < threads_from)
        return 1;
    const uint32_t processors = pail_team_processors();
    return processors < THREADS_MAX ? processors : THREADS_MAX;
}

pail_status pail_file_read(const struct pail_file *file, void *to, size_t size, size_t offset,
                           char *error, size_t error_cap)
{
    struct reading reading = {.fd = file->fd, .to = to, .size = size, .offset = offset};
    pthread_t threads[THREADS_MAX];
    const size_t wanted = count_threads(size);
    size_t started = 0;
    if (wanted > 1) /* the file is read from start to end, by whichever thread */
        (void)posix_fadvise(file->fd, (off_t)offset, (off_t)size, POSIX_FADV_SEQUENTIAL);
    while (started + 1 < wanted && pail_thread_start(&threads[started], "pail-read", PAIL_STACK_OWN,
                                                     read_pieces, &reading) == 0)
        started++;
    (void)read_pieces(&reading);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    const size_t failed = atomic_load(&reading.failed);
    if (failed == 0)
        return PAIL_OK;
    const int reason = atomic_load(&reading.reason);
    if (reason != 0)
        return pail_report(error, error_cap, PAIL_ERR_IO, "%s: cannot be read at byte %zu: %s",
                           file->path, failed - 1, strerror(reason));
    return pail_report(error, error_cap, PAIL_ERR_IO,
                       "%s: ends at byte %zu or before, but had %zu bytes when it was opened: "
                       "somebody is changing it",
                       file->path, failed - 1, file->size);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

void pail_file_part_init(struct pail_file_part *part, const struct pail_file *file, size_t offset,
                         size_t size)
{
    *part = (struct pail_file_part){
        .file = file, .offset = offset, .size = size, .told = ATOMIC_FLAG_INIT};
    /* The part is read from start to end, whichever thread reads a piece: the system reads further
     * ahead then. Requesting later pieces, as read_pieces does, costs more than it gains with small
     * ones. */
    (void)posix_fadvise(file->fd, (off_t)offset, (off_t)size, POSIX_FADV_SEQUENTIAL);
}

pail_status pail_file_part_read(void *user, void *to, uint64_t offset, size_t bytes)
{
    struct pail_file_part *const part = user;
    char error[sizeof(part->error)];
    pail_status status;
    if (offset > part->size || bytes > part->size - offset) {
        status =
            pail_report(error, sizeof(error), PAIL_ERR_ARGUMENT,
                        "%s: bytes %ju to %ju of a part of %zu were asked for", part->file->path,
                        (uintmax_t)offset, (uintmax_t)(offset + bytes - 1), part->size);
    } else {
        status = pail_file_read(part->file, to, bytes, part->offset + (size_t)offset, error,
                                sizeof(error));
    }
    if (status != PAIL_OK && !atomic_flag_test_and_set(&part->told))
        memcpy(part->error, error, sizeof(error));
    return status;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t round_up(size_t size)
{
    return size < huge_pages_from
               ? size
               : (size + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
}

/* Takes whole pages from the system: huge pages need a tenth of the faults, and memory that is
 * freed goes back at once. NULL when there is no memory. */
static uint8_t *map_pages(size_t size)
{
    const size_t wanted = round_up(size);
    const bool huge = wanted >= huge_pages_from;
    const size_t more = huge ? huge_page_bytes : 0;
    if (wanted < size || wanted > SIZE_MAX - more)
        return NULL;
    uint8_t *const memory =
        mmap(NULL, wanted + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (!huge)
        return memory;
    /* Keeps the pages from the first boundary of a huge page on. */
    const size_t skipped =
        (huge_page_bytes - (uintptr_t)memory % huge_page_bytes) % huge_page_bytes;
    if (skipped > 0)
        (void)munmap(memory, skipped);
    if (skipped < more)
        (void)munmap(memory + skipped + wanted, more - skipped);
    (void)madvise(memory + skipped, wanted, MADV_HUGEPAGE);
    return memory + skipped;
}

pail_status pail_file_load(struct pail_bytes *bytes, const struct pail_file *file, size_t size,
                           size_t offset, char *error, size_t error_cap)
{
    *bytes = (struct pail_bytes){0};
    if (size == 0)
        return PAIL_OK;
    uint8_t *const memory = map_pages(size);
    if (!memory)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu bytes",
                           file->path, size);
    struct pail_bytes loaded = {.data = memory, .size = size};
    const pail_status status = pail_file_read(file, memory, size, offset, error, error_cap);
    if (status == PAIL_OK)
        *bytes = loaded;
    else
        pail_bytes_free(&loaded, true); /* contents may be secret */
    return status;
}

pail_status pail_file_load_whole(struct pail_bytes *bytes, const char *path, char *error,
                                 size_t error_cap)
{
    *bytes = (struct pail_bytes){0};
    struct pail_file file;
    pail_status status = pail_file_open(&file, path, error, error_cap);
    if (status == PAIL_OK)
        status = pail_file_load(bytes, &file, file.size, 0, error, error_cap);
    pail_file_close(&file);
    return status;
}

void pail_bytes_free(struct pail_bytes *bytes, bool secret)
{
    if (bytes->data) {
        void *const memory = (void *)(uintptr_t)bytes->data;
        if (secret)
            pail_wipe(memory, bytes->size);
        (void)munmap(memory, round_up(bytes->size));
    }
    *bytes = (struct pail_bytes){0};
}

/* ---- Arrays of elements ---------------------------------------------------------------------- */

pail_status pail_raw_open(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap)
{
    *raw = (struct pail_raw){0};
    pail_status status = pail_file_open(&raw->file, path, error, error_cap);
    if (status == PAIL_OK && raw->file.size % element_bytes != 0)
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: has %zu bytes, which is no multiple of the %zu bytes of a %s",
                             path, raw->file.size, element_bytes, what);
    if (status != PAIL_OK) {
        pail_raw_close(raw);
        return status;
    }
    raw->element_bytes = element_bytes;
    raw->count = raw->file.size / element_bytes;
    return PAIL_OK;
}

pail_status pail_raw_load(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap)
{
    pail_status status = pail_raw_open(raw, path, element_bytes, what, error, error_cap);
    if (status == PAIL_OK)
        status = pail_file_load(&raw->bytes, &raw->file, raw->file.size, 0, error, error_cap);
    pail_file_close(&raw->file);
    if (status != PAIL_OK)
        pail_raw_close(raw);
    return status;
}

void pail_raw_close(struct pail_raw *raw)
{
    pail_file_close(&raw->file);
    pail_bytes_free(&raw->bytes, true); /* scalars are secrets, and the file may have some */
    *raw = (struct pail_raw){0};
}
