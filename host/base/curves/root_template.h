/* SPDX-License-Identifier: Apache-2.0 */
/* Order and square roots in a prime field whose modulus is 3 mod 4. Include it after
 * field_template.h, and root_template_impl.h in one source file, with the same FE and FE_PARAMS. */
#include <stdbool.h>

#include "paste.h"

#define FE_(name) PAIL_PASTE(FE, name)

/* r = a / 2. */
void FE_(halve)(FE *r, const FE *a);

/* True if a, as an integer, is above -a: the "lexicographically largest" of a root and its
 * negative. Zero is not. */
bool FE_(is_largest)(const FE *a);

/* Takes one of the square roots; false, with 0 stored, if there is none. */
bool FE_(sqrt)(FE *r, const FE *a);

#undef FE_
