/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that a test makes and removes. */
#ifndef PAIL_TESTS_FILES_H
#define PAIL_TESTS_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* Each of these ends the test with a message when it cannot do its work. Strings are for free(). */

/* A new folder of mode 0755 below the folder for temporary files, with its path resolved. */
char *files_temporary(void);
void files_remove(const char *path); /* with everything in it */

__attribute__((format(printf, 1, 2))) char *files_path(const char *format, ...);
void files_folder(const char *path, mode_t mode);
void files_write(const char *path, const void *bytes, size_t n, mode_t mode);
void files_copy(const char *to, const char *from, mode_t mode);
char *files_read(const char *path, size_t *n);

#endif
