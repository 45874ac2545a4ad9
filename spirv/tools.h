/* SPDX-License-Identifier: Apache-2.0 */
/* SPIRV-Tools, and the life of glslang in the process. The one place where C++ is spoken: no
 * exception, no C++ type and no run-time type information leaves tools.cpp. */
#ifndef PAIL_SPIRV_TOOLS_H
#define PAIL_SPIRV_TOOLS_H

#include "compile.h"
#include "message.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `body(user)`; false if it ran out of memory, after which glslang is never entered again in
 * this process (see tools.cpp). For calls into glslang, which throws std::bad_alloc through its C
 * interface. The caller must hold glslang by pail_spirv_acquire. */
int pail_tools_guard(void (*body)(void *user), void *user);

/* Validates a module for Vulkan 1.2. `what` names it in the message. */
enum pail_spirv_status pail_tools_validate(const uint32_t *words, size_t n_words, const char *what,
                                           struct pail_message *message);

/* Runs the fixed pass list. Out: `*out_words` of `*n_out`, to be freed with free(). */
enum pail_spirv_status pail_tools_shorten(const uint32_t *words, size_t n_words, const char *what,
                                          uint32_t **out_words, size_t *n_out,
                                          struct pail_message *message);

/* Out: assembler text, to be freed with free(). */
enum pail_spirv_status pail_tools_disassemble(const uint32_t *words, size_t n_words, char **text);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_SPIRV_TOOLS_H */
