/* Forms of paths and of names of libraries. */
#ifndef PAIL_PLATFORM_PATH_H
#define PAIL_PLATFORM_PATH_H

#include <stdbool.h>

extern const char pail_path_list_mark;   /* between the elements of a search path */
extern const char *const pail_path_root; /* start of a whole path in words, as "a slash" */

/* Suffix of a shared library. */
#ifndef PAIL_LIBRARY_TAIL
#define PAIL_LIBRARY_TAIL ".so"
#endif

/* True if the path does not depend on the working directory. */
bool pail_path_is_whole(const char *path);

/* True if a resolved path is a root, which is in no folder; it ends in a slash. */
bool pail_path_is_root(const char *path);

/* File name of the loader of Vulkan. */
extern const char *const pail_path_vulkan;

/* The variable of the environment with the user's own folder, and where caches are below it. */
extern const char *const pail_path_home, *const pail_path_cache;

#endif /* PAIL_PLATFORM_PATH_H */
