/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that holds the compiler, to be loaded and unloaded by spirv_unload.c. */
#include "unload_object.h"

#include <stdlib.h>

#include "fixture.h"

int spirv_unload_touch(void)
{
    const enum pail_spirv_status status = pail_spirv_acquire();
    if (status == PAIL_SPIRV_OK)
        pail_spirv_release();
    return (int)status;
}

int spirv_unload_compile(void)
{
    struct pail_source files[FIXTURE_FILES];
    const struct pail_source_tree tree = fixture_tree(files, fixture_comp);
    uint32_t *words;
    size_t n_words;
    const enum pail_spirv_status status =
        pail_spirv_compile(&tree, &fixture_kernel, fixture_x29, &words, &n_words, NULL, 0);
    free(words);
    return (int)status;
}
