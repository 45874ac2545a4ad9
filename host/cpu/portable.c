/* SPDX-License-Identifier: Apache-2.0 */
/* The adders in portable C. */
#include "adders.h"

#define ADDER      pail_cpu_portable
#define WORD_FIELD <curves/plain_field.h>
#define WORD_GROUP <cpu/chains_template.h>
#include <curves/word_groups.h>
