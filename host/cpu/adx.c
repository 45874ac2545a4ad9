/* The adders of x86-64 with BMI2 and ADX. adders.c asks the processor before it calls anything
 * here. */
#include "adders.h"

#define ADX_GROUP <cpu/adx_template.h>
#include <curves/adx_groups.h>
