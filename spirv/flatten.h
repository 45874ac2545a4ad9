/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces `#include "x"` by the text of x. glslang's C interface takes no include callback (its
 * own includer would read the working directory), so this is done before glslang sees the text. */
#ifndef PAIL_SPIRV_FLATTEN_H
#define PAIL_SPIRV_FLATTEN_H

#include "compile.h"
#include "message.h"

/* Nesting and size of the result; a tree of kernels needs far less. */
#define PAIL_FLATTEN_MAX_DEPTH 64u
#define PAIL_FLATTEN_MAX_BYTES (8u << 20)

/* The argument of the #error directive left where an include was not found. It becomes an error
 * only if the directive is reached: a file may be absent if the branch that includes it is not
 * taken. */
#define PAIL_FLATTEN_UNRESOLVED "unresolved_include"

/* Flattens `path`. `dirs` (without a trailing '/'; "" is the root) are searched after the directory
 * of the including file. Includes in angle brackets are left alone.
 *
 * `#line` directives give each line its place: source string i + 1 is tree->files[i]. String 0 is
 * `path` up to its #version line, which must come before any directive.
 *
 * A file with an include guard around all of it is expanded once if its first inclusion was outside
 * of any condition, and is left out where it includes itself; everything else is left to the
 * preprocessor.
 *
 * Out: `*text`, terminated, to be freed with free(). */
enum pail_spirv_status pail_flatten(const struct pail_source_tree *tree, const char *path,
                                    const char *const *dirs, size_t n_dirs, char **text,
                                    struct pail_message *message);

/* Turns the places in a log of glslang ("ERROR: 3:12: ...") into files and lines, and adds the
 * lines that start with `severity` ("ERROR: " or "WARNING: ") to the message. Returns how many
 * there were. */
size_t pail_flatten_map_log(const struct pail_source_tree *tree, const char *path, const char *log,
                            const char *severity, struct pail_message *message);

#endif /* PAIL_SPIRV_FLATTEN_H */
