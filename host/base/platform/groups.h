/* Control groups, version 2. */
#ifndef PAIL_PLATFORM_GROUPS_H
#define PAIL_PLATFORM_GROUPS_H

/* Calls look with the folder of each group that the process is in, its own first and the root last.
 * proc: has self/cgroup. cgroup: where the unified hierarchy is mounted. */
void pail_each_group(const char *proc, const char *cgroup,
                     void (*look)(void *user, const char *folder), void *user);

#endif /* PAIL_PLATFORM_GROUPS_H */
