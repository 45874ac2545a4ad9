/* Results of multiplications: made from points, and compared. */
#ifndef PAIL_TOOL_OUTPUT_RESULT_H
#define PAIL_TOOL_OUTPUT_RESULT_H

#include <stdbool.h>

#include <pail/backend.h>

#include <curves/curve_ops.h>

bool pail_result_equal(const pail_msm_result *a, const pail_msm_result *b);

/* The result that a backend would deliver for the point. */
void pail_result_from(pail_msm_result *result, const struct pail_curve_ops *ops,
                      const pail_point *point);

#endif /* PAIL_TOOL_OUTPUT_RESULT_H */
