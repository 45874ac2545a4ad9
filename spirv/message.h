/* SPDX-License-Identifier: Apache-2.0 */
/* Error texts: sentences, one on each line, in a buffer of the caller. */
#ifndef PAIL_SPIRV_MESSAGE_H
#define PAIL_SPIRV_MESSAGE_H

#include <stddef.h>

/* The formats of C: the build says how the compiler calls them where those are not its own. */
#ifndef PAIL_PRINTF_KIND
#define PAIL_PRINTF_KIND printf
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct pail_message {
    char *text; /* terminated whenever cap > 0 */
    size_t cap, length;
};

/* Starts an empty message in `text`, which may be NULL if `cap` is 0. */
struct pail_message pail_message_begin(char *text, size_t cap);

/* Adds one line. A sentence that does not fit is cut; what follows it is dropped. */
void pail_message_add(struct pail_message *message, const char *format, ...)
    __attribute__((format(PAIL_PRINTF_KIND, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif /* PAIL_SPIRV_MESSAGE_H */
