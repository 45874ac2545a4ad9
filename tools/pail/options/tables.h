/* The tables of options that there are, each defined where its command is. */
#ifndef PAIL_TOOL_OPTIONS_TABLES_H
#define PAIL_TOOL_OPTIONS_TABLES_H

#include "table.h"

extern const struct pail_option_table pail_cache_table;
extern const struct pail_option_table pail_info_table;
extern const struct pail_option_table pail_sizing_eval_table;
extern const struct pail_option_table pail_warm_table;

/* All of them, up to a NULL. */
extern const struct pail_option_table *const pail_option_tables[];

#endif /* PAIL_TOOL_OPTIONS_TABLES_H */
