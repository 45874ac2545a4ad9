/* The pipelines that vectors need, before there are any. */
#ifndef PAIL_FIELD_WARM_H
#define PAIL_FIELD_WARM_H

#include <pail/backend.h>

#include <core/error.h>
#include "vk/memory.h"
#include "warm_list.h"

struct pail_vectors;

/* Adds all that vectors of a curve ask for; 0: of every curve, and transforms in every form that
 * the device can have. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_field_warm_add(struct pail_vectors *field, struct pail_warm_list *list,
                                uint32_t curve, struct pail_error *err);

#endif /* PAIL_FIELD_WARM_H */
