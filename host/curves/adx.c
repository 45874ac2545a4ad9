#include "adx.h"

#define ADX_GROUP <curves/adx_group_template.h>
#include "adx_groups.h"
