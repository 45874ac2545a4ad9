/* The measurements of `pail tune`: candidates at one size, windows at each. Every configuration
 * names its accumulator and field form, so that nothing that is kept has a say in it. */
#ifndef PAIL_TOOL_TUNE_TUNE_MEASURE_H
#define PAIL_TOOL_TUNE_TUNE_MEASURE_H

#include "error/error.h"
#include "tune_report.h"

/* finding: in: curve, group and n; out: the choice. Results that are wrong and cases that fail are
 * told to the rig. Returns PAIL_OK whatever was found, or a status with a sentence. */
pail_status pail_tune_accumulators(struct pail_rig *rig, struct pail_tune_finding *finding,
                                   size_t group, struct pail_error *error);

/* finding: in: the choice; out: the windows of all sizes. A choice that is wrong or fails with
 * the model's window is none any more. Returns as above. */
pail_status pail_tune_windows(struct pail_rig *rig, struct pail_tune_finding *finding, size_t group,
                              struct pail_error *error);

#endif /* PAIL_TOOL_TUNE_TUNE_MEASURE_H */
