/* SPDX-License-Identifier: Apache-2.0 */
/* Built where there is no glslang to link: the modules that the build took along are all there is.
 */
#include "compile.h"

#include "message.h"

enum pail_spirv_status pail_spirv_acquire(void)
{
    return PAIL_SPIRV_OK;
}

void pail_spirv_release(void)
{
}

enum pail_spirv_status pail_spirv_compile(const struct pail_source_tree *tree,
                                          const struct pail_kernel *kernel,
                                          struct pail_variant variant, uint32_t **words,
                                          size_t *n_words, char *error, size_t error_cap)
{
    (void)tree, (void)kernel, (void)variant;
    *words = NULL;
    *n_words = 0;
    struct pail_message message = pail_message_begin(error, error_cap);
    pail_message_add(&message, "this plugin was built without a compiler of GLSL");
    return PAIL_SPIRV_REQUEST;
}
