/* SPDX-License-Identifier: Apache-2.0 */
/* The adders of x86-64 with BMI2 and ADX. adders.c asks the processor before it calls anything
 * here. */
#include "adders.h"

#define ADDER      pail_cpu_adx
#define WORD_FIELD <curves/adx_field.h>
#define WORD_GROUP <cpu/chains_template.h>
#include <curves/word_groups.h>
