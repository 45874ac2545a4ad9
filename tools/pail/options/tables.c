#include "tables.h"

const struct pail_option_table *const pail_option_tables[] = {
    &pail_cache_table, &pail_info_table, &pail_sizing_eval_table, &pail_warm_table, NULL};
