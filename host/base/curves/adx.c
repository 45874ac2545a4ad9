/* SPDX-License-Identifier: Apache-2.0 */
#include "adx.h"

#define WORD_FIELD <curves/adx_field.h>
#define WORD_GROUP <curves/adx_group_template.h>
#include "word_groups.h"
