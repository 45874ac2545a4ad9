/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <platform/memory.h>

#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "support/test.h"

enum { WINDOW = 1 << 20, FIRST = 8, LENGTH = 16, SAID_MOST = 8 };

void scan_begin(struct scan *scan)
{
#ifdef PAIL_TEST_SANITIZED
    SKIP_BECAUSE("memory is not searched under a sanitizer");
#endif
    *scan = (struct scan){.n = 0};
    scan->window = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(scan->window != MAP_FAILED);
}

void scan_end(struct scan *scan)
{
    assert_int_equal(munmap(scan->window, WINDOW), 0);
}

size_t scan_make(struct scan *scan)
{
    assert_true(scan->n < SCAN_SECRETS);
    uint8_t *hidden = scan->hidden[scan->n];
    assert_int_equal(getrandom(hidden, SCAN_SECRET_BYTES, 0), SCAN_SECRET_BYTES);
    hidden[SCAN_SECRET_BYTES - 1] |= 0xfc;
    return scan->n++;
}

size_t scan_add(struct scan *scan, uint8_t bytes[SCAN_SECRET_BYTES])
{
    assert_true(scan->n < SCAN_SECRETS);
    for (size_t k = 0; k < SCAN_SECRET_BYTES; k++)
        scan->hidden[scan->n][k] = (uint8_t)~bytes[k];
    pail_wipe(bytes, SCAN_SECRET_BYTES);
    return scan->n++;
}

void scan_reveal(const struct scan *scan, size_t number, void *to)
{
    volatile uint8_t *bytes = to; /* byte by byte, through no register that is kept */
    for (size_t k = 0; k < SCAN_SECRET_BYTES; k++)
        bytes[k] = (uint8_t)~scan->hidden[number][k];
}

static bool is_secret(const struct scan *scan, size_t number, const unsigned char *at)
{
    size_t k = 0;
    while (k < LENGTH && (at[k] ^ scan->hidden[number][FIRST + k]) == 0xff)
        k++;
    return k == LENGTH;
}

/* In a window of n bytes. */
static size_t count_in(const struct scan *scan, size_t n, uint64_t address, const char *name,
                       const char *when)
{
    size_t found = 0;
    for (size_t s = 0; s < scan->n; s++) {
        const int first = scan->hidden[s][FIRST] ^ 0xff;
        const unsigned char *at = scan->window, *end = scan->window + n;
        while ((size_t)(end - at) >= LENGTH &&
               (at = memchr(at, first, (size_t)(end - at) - LENGTH + 1)) != NULL) {
            if (is_secret(scan, s, at) && found++ < SAID_MOST && when)
                fprintf(stderr, "%s: secret %zu is at %" PRIx64 " of %s, with a frame at %p\n",
                        when, s, address + (uint64_t)(at - scan->window), name[0] ? name : "memory",
                        __builtin_frame_address(0));
            at++;
        }
    }
    return found;
}

size_t scan_count(const struct scan *scan, const char *when)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    assert_non_null(maps);
    assert_true(memory >= 0);
    char line[4200], name[4100];
    size_t found = 0;
    const uint64_t mine = (uint64_t)(uintptr_t)scan->window;
    while (fgets(line, sizeof line, maps)) {
        uint64_t begin, end;
        char access[8];
        name[0] = '\0';
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %4099[^\n]", &begin, &end, access,
                   name) < 3 ||
            access[0] != 'r' || access[1] != 'w')
            continue;
        /* Windows overlap, so that a secret across two of them is in one. */
        for (uint64_t at = begin; at < end; at += WINDOW - LENGTH) {
            if (at + WINDOW > mine && at < mine + WINDOW && mine >= begin && mine < end)
                continue; /* the window, with the bytes read last */
            const uint64_t left = end - at;
            const ssize_t n = pread(memory, scan->window, left < WINDOW ? left : WINDOW, (off_t)at);
            if (n > 0)
                found += count_in(scan, (size_t)n, at, name, when);
        }
    }
    pail_wipe(scan->window, WINDOW);
    assert_int_equal(close(memory), 0);
    assert_int_equal(fclose(maps), 0);
    return found;
}
