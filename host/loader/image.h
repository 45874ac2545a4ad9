/* Whether a file may be handed to the dynamic linker. That one maps segments where the headers say,
 * without asking whether the file goes so far, and a process that touches a page beyond the end of
 * a file is killed. So all that the headers say is held against the file, and against what they say
 * at another place, before anything is mapped: with reads that end where the file does. */
#ifndef PAIL_LOADER_IMAGE_H
#define PAIL_LOADER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the file is a whole shared library for this machine, and looks for the libraries it needs
 * nowhere in the working directory. file: open for reading. When it is not so, `reason` gets a
 * clause ("it is cut off: ..."). */
bool pail_image_check(int file, char *reason, size_t capacity);

#endif
