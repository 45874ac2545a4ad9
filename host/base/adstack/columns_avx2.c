/* SPDX-License-Identifier: Apache-2.0 */
/* Columns for processors with AVX2: this file is compiled for them, and run by no others. */
#define COLUMNS(name) name##_avx2
#include "columns_template.h"
