/* adstack_record: sizes from inside of a command buffer. */
#ifndef PAIL_ADSTACK_RECORD_H
#define PAIL_ADSTACK_RECORD_H

#include "service.h"

/* The layout of the metadata that a recording writes. tasks: [n_tasks] at full size, optional;
 * n_tasks: as the kernel has. Each task's part can be bound on its own: it begins at a multiple of
 * 256, which no device asks more than. Errors: PAIL_ERR_ARGUMENT */
pail_status pail_adstack_record_layout(struct pail_adstack *service, pail_record_task tasks[],
                                       size_t n_tasks, uint64_t *bytes, uint64_t handle,
                                       struct pail_error *err);

/* Same, for a kernel's description. Returns the bytes of all tasks. tasks: optional. */
uint64_t pail_ad_record_places(const pail_kernel_desc *desc, pail_record_task tasks[]);

/* launch: at full size. The result has no sizes; it must go before the service does. What
 * it is about can be diagnosed until then (recording.h).
 * Errors: as adstack_record of backend.h */
pail_status pail_adstack_record(struct pail_adstack *service, struct pail_adstack_result **result,
                                const pail_launch *launch, void *command_buffer,
                                uint64_t metadata_address, struct pail_error *err);

#endif /* PAIL_ADSTACK_RECORD_H */
