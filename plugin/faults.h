/* SPDX-License-Identifier: Apache-2.0 */
/* Faults put in on purpose, so that the tests can show that they would notice. They exist only in
 * the plugin that is built with PAIL_TEST_FAULTS, where the environment's PAIL_FAULT names one; the
 * plugin that is shipped holds nothing of them. */
#ifndef PAIL_PLUGIN_FAULTS_H
#define PAIL_PLUGIN_FAULTS_H

#include <stdbool.h>

#ifdef PAIL_TEST_FAULTS

#include <compile.h>

#include <core/error.h>

/* True if the fault of this name is in force. */
bool pail_fault(const char *name);

/* True if any fault but this one is in force. */
bool pail_fault_other(const char *name);

/* A tree of sources in which the fault in force has done its damage. */
struct pail_fault_tree {
    struct pail_source_tree tree;
    struct pail_source *files; /* owned, with the texts that `tree` does not share with the old */
    const struct pail_source_tree *original;
};

/* Makes the changed sources. Out: changed  all zero where no fault is in force, or one that damages
 * no source
 * Errors: PAIL_ERR_ARGUMENT     PAIL_FAULT names no fault
 *         PAIL_ERR_INTERNAL     the sources have moved on: what a fault changes is not there once
 *         PAIL_ERR_HOST_MEMORY */
pail_status pail_fault_sources(struct pail_fault_tree *changed, const struct pail_source_tree *tree,
                               struct pail_error *err);
void pail_fault_sources_free(struct pail_fault_tree *changed);

/* Same, for a fault by number; returns false past the last. name: optional. */
bool pail_fault_sources_of(size_t number, const char **name, struct pail_fault_tree *changed,
                           const struct pail_source_tree *tree, pail_status *status,
                           struct pail_error *err);

#else

#define pail_fault(name)       false
#define pail_fault_other(name) false

#endif

#endif /* PAIL_PLUGIN_FAULTS_H */
