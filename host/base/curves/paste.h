/* SPDX-License-Identifier: Apache-2.0 */
/* Names in the templates: PAIL_PASTE(pail_bn254_fp, mul) is pail_bn254_fp_mul. */
#ifndef PAIL_CURVES_PASTE_H
#define PAIL_CURVES_PASTE_H

#define PAIL_PASTE(prefix, name)     PAIL_PASTE_NOW(prefix, name)
#define PAIL_PASTE_NOW(prefix, name) prefix##_##name

#endif /* PAIL_CURVES_PASTE_H */
