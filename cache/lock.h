/* Who may write a cache file: one process and one thread at a time. */
#ifndef PAIL_CACHE_LOCK_H
#define PAIL_CACHE_LOCK_H

/* Takes the lock of the file `name`, which is on a file beside it that stays. Waits at most about
 * ten seconds. Returns a descriptor for pail_cache_unlock, or -1 with a sentence in *why. */
int pail_cache_lock(int folder, const char *name, const char **why);
void pail_cache_unlock(int lock);

#endif /* PAIL_CACHE_LOCK_H */
