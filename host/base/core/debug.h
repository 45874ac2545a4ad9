/* SPDX-License-Identifier: Apache-2.0 */
/* The words of PAIL_DEBUG, the one environment variable that changes what the plugin does. */
#ifndef PAIL_PLUGIN_DEBUG_H
#define PAIL_PLUGIN_DEBUG_H

#include <stdint.h>

#include "error.h"

enum pail_debug {
    PAIL_DEBUG_VALIDATE = 1 << 0,  /* load the validation layer; its messages go to the log */
    PAIL_DEBUG_SYNC = 1 << 1,      /* validate, with synchronization validation */
    PAIL_DEBUG_TRACE = 1 << 2,     /* log allocations, pipelines, submissions, sizing */
    PAIL_DEBUG_TIME = 1 << 3,      /* log the device time of each kernel of each submission */
    PAIL_DEBUG_NOLABELS = 1 << 4,  /* no debug labels and object names */
    PAIL_DEBUG_POISON = 1 << 5,    /* fill scratch with 0xAA before each use */
    PAIL_DEBUG_RECOMPILE = 1 << 6, /* compile kernels from the embedded sources */
    PAIL_DEBUG_NOCACHE = 1 << 7,   /* neither read nor write the cache of pipelines */
    PAIL_DEBUG_REGISTERS = 1 << 8, /* log what the driver says of each pipeline's code; no cache */
    PAIL_DEBUG_OVERLAP = 1 << 9,   /* take points chunk by chunk while scalars are sent, however
                                      few they are and wherever the device gains nothing */
    PAIL_DEBUG_GLV = 1 << 10,      /* keep GLV images of points, however few they are */
    PAIL_DEBUG_RUNS = 1 << 11,     /* take runs in order of their length, however few points */
    PAIL_DEBUG_WHOLE = 1 << 12,    /* no dispatch in portions, however long it takes */
    PAIL_DEBUG_LANES = 1 << 13,    /* multiplications have queues of their own even where the device
                                      has one: timelines of it */
};

/* Parses a comma-separated list, or the environment's PAIL_DEBUG when words is NULL.
 * In:  words  optional.
 * Out: flags  enum pail_debug, or-ed; 0 on failure.
 * Errors: PAIL_ERR_ARGUMENT for a word that is not in the list above (the sentence names it). */
pail_status pail_debug_parse(uint32_t *flags, const char *words, struct pail_error *err);

#endif /* PAIL_PLUGIN_DEBUG_H */
