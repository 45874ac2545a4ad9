/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: wiping, random bytes, huge pages, settings of the process, and addresses that may be
 * none. */
#ifndef PAIL_PLATFORM_MEMORY_H
#define PAIL_PLATFORM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Memory that held a secret: scalars are witnesses ---------------------------------------- */

/* Fills memory with zeros in a way that no compiler leaves out. memory may be NULL when bytes is 0.
 */
void pail_wipe(void *memory, size_t bytes);

/* Fills a block of malloc with zeros, all that it really has, and frees it. memory may be NULL. */
void pail_wipe_and_free(void *memory);

/* Fills the 8 KiB of stack below the caller with zeros: functions that it called and that have
 * returned have left there what they worked with. On Linux with x86-64, vector registers too. */
void pail_wipe_stack(void);

/* ---- Numbers that nobody can guess ----------------------------------------------------------- */

/* Fills memory from the operating system's generator; waits until that is seeded. On failure, which
 * errno explains, the memory is zeroed. */
bool pail_random(void *memory, size_t bytes);

/* ---- Memory for blocks that are worth pages of their own size -------------------------------- */

/* Blocks from here on are. */
#define PAIL_HUGE_PAGE ((size_t)2 << 20)

/* A block of `bytes`, in large pages where the system has them; free() takes it. NULL: there is no
 * memory. No more of it becomes resident than what is touched and the rest of its large pages.
 * Freed memory may keep large pages. */
void *pail_alloc_huge_pages(size_t bytes);

/* ---- Settings of the process's memory -------------------------------------------------------- */

/* Returns blocks of at least so many bytes to the system as soon as they are freed, and keeps a few
 * times as much for smaller ones, where the allocator can be told. To be called once, by a program
 * for itself. */
void pail_return_blocks(size_t from_bytes);

/* The memory of the process is not dumped when it crashes, and no other process of its user reads
 * it, where the system can be told. */
void pail_keep_memory_private(void);

/* ---- Reading where there may be no memory, without a fault ----------------------------------- */

struct pail_probe {
    int ends[2]; /* a pipe to read through, where the system needs one */
};

/* False: it cannot be had, and nothing is to be closed. */
bool pail_probe_open(struct pail_probe *probe);
void pail_probe_close(struct pail_probe *probe);

/* True if there is memory of the process at the address, and `word` in its first bytes. */
bool pail_probe_holds(const struct pail_probe *probe, uint64_t address, uint32_t word);

#endif /* PAIL_PLATFORM_MEMORY_H */
