/* SPDX-License-Identifier: Apache-2.0 */
/* adstack_evaluate: from a launch to a result. */
#ifndef PAIL_ADSTACK_LAUNCH_H
#define PAIL_ADSTACK_LAUNCH_H

#include "service.h"

/* launch: at full size. A launch whose result is known allocates nothing and asks the device for
 * nothing. Errors: as adstack_evaluate of backend.h. */
pail_status pail_adstack_evaluate(struct pail_adstack *service, struct pail_adstack_result **result,
                                  const pail_launch *launch, struct pail_error *err);

/* Flags and semaphores of a launch. Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED */
pail_status pail_ad_launch_check(const struct pail_adstack *service, const pail_launch *launch,
                                 struct pail_error *err);

/* The outcome of a launch. */
struct pail_ad_answer {
    struct pail_adstack_result *result; /* with a reference */
    bool found;     /* it is found again for the same key, as long as the kernel's `drops` stay */
    uint64_t drops; /* as they were when it was found */
};

/* The part of adstack_evaluate after arrays and key are in the frame. keep: the result may be kept
 * and found; the launch's bindings are not looked at. Errors: as adstack_evaluate. */
pail_status pail_ad_launch_answer(struct pail_adstack *service, struct pail_ad_kernel *kernel,
                                  struct pail_ad_frame *frame, const pail_launch *launch, bool keep,
                                  struct pail_ad_answer *answer, struct pail_error *err);

/* Structs of the boundary, at full size; struct_size stays as it is.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_DATA (adstack_metadata). PAIL_NOT_READY: nobody asked for an
 * explanation, or sizes are where a command buffer writes them. */
pail_status pail_adstack_task_size(const struct pail_adstack_result *result, pail_task_size *size,
                                   size_t task, struct pail_error *err);
pail_status pail_adstack_stack_size(const struct pail_adstack_result *result, pail_stack_size *size,
                                    size_t task, size_t stack, struct pail_error *err);
pail_status pail_adstack_metadata(const struct pail_adstack_result *result, uint32_t *words,
                                  size_t *n_words, size_t task, struct pail_error *err);
pail_status pail_adstack_explain(const struct pail_adstack_result *result, char *text, size_t *size,
                                 struct pail_error *err);

#endif /* PAIL_ADSTACK_LAUNCH_H */
