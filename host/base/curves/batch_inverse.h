/* SPDX-License-Identifier: Apache-2.0 */
/* FE_(batch_inv) of field_template.h and field2_template.h, by Montgomery's trick. Include it in
 * one source file with FE, after FE_(mul) and FE_(inv) are declared. */
#include "paste.h"

#define FE_(name) PAIL_PASTE(FE, name)

void FE_(batch_inv)(FE *elements, FE *scratch, size_t n)
{
    FE product = FE_(one);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = product;
        if (!FE_(is_zero)(&elements[i]))
            FE_(mul)(&product, &product, &elements[i]);
    }
    FE_(inv)(&product, &product);
    for (size_t i = n; i-- > 0;) {
        if (!FE_(is_zero)(&elements[i])) {
            const FE element = elements[i];
            FE_(mul)(&elements[i], &product, &scratch[i]);
            FE_(mul)(&product, &product, &element);
        }
    }
}

#undef FE_
