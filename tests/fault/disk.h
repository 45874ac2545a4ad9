/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that loses power: the calls that change one folder are recorded, and every state in which
 * the folder may be found afterwards is made. What was not brought to the disk by fsync may be
 * there, in part, or not, in any order; so may names that were made, changed or removed since the
 * last fsync of the folder. */
#ifndef PAIL_TESTS_DISK_H
#define PAIL_TESTS_DISK_H

#include <stdbool.h>
#include <stddef.h>

struct disk;

/* Begins to record what is done in the folder, whose files count as brought to the disk. */
struct disk *disk_record(const char *folder);

/* A moment after which what was done must outlast a loss of power. */
void disk_promise(struct disk *disk);

/* Ends the recording. */
void disk_stop(struct disk *disk);

/* Makes each state in the folder `at`, which is emptied before, and has it looked at. promised: the
 * power was lost after disk_promise. Returns the number of states. */
size_t disk_each_state(struct disk *disk, const char *at,
                       void (*look)(void *user, const char *at, bool promised, const char *what),
                       void *user);

/* The number of calls that were recorded. */
size_t disk_calls(const struct disk *disk);

void disk_free(struct disk *disk);

#endif /* PAIL_TESTS_DISK_H */
