/* Abilities of a backend, and their names in messages. */
#ifndef PAIL_LOADER_ABILITY_H
#define PAIL_LOADER_ABILITY_H

#include <pail/pail.h>

/* The abilities in `abilities` that the backend lacks. */
uint32_t pail_ability_missing(const pail_backend *backend, uint32_t abilities);

/* "size history stacks": the first of the abilities, as what somebody can. abilities: not 0, and
 * known ones. Static storage. */
const char *pail_ability_words(uint32_t abilities);

#endif
