/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <string.h>

#include <caller.h>
#include <formats/report.h>

enum { N_MAX = 1 << 20 };

/* Lists the arrays that the operation reads; returns their number. */
size_t pail_kzg_list_inputs(struct pail_kzg_input inputs[PAIL_KZG_INPUTS],
                            const struct pail_kzg *kzg, pail_kzg_request *request)
{
    const size_t n = (size_t)request->n, scalar = PAIL_KZG_SCALAR_BYTES;
    const size_t cell = kzg->cell_elements * scalar;
    const struct pail_kzg_input blobs = {"blobs", &request->blobs, n * kzg->n * scalar};
    const struct pail_kzg_input commitments = {"commitments", &request->commitments,
                                               n * kzg->codec.encoded_bytes};
    const struct pail_kzg_input points = {"points", &request->points, n * scalar};
    const struct pail_kzg_input values = {"values", &request->values, n * scalar};
    const struct pail_kzg_input proofs = {"proofs", &request->proofs, n * kzg->codec.encoded_bytes};
    size_t count = 0;
    switch (request->operation) {
    case PAIL_KZG_COMMIT:
    case PAIL_KZG_CELLS:
        inputs[count++] = blobs;
        break;
    case PAIL_KZG_PROVE:
        inputs[count++] = blobs;
        inputs[count++] = points;
        break;
    case PAIL_KZG_PROVE_BLOB:
        inputs[count++] = blobs;
        inputs[count++] = commitments;
        break;
    case PAIL_KZG_VERIFY:
        inputs[count++] = commitments;
        inputs[count++] = points;
        inputs[count++] = values;
        inputs[count++] = proofs;
        break;
    case PAIL_KZG_VERIFY_BLOBS:
        inputs[count++] = blobs;
        inputs[count++] = commitments;
        inputs[count++] = proofs;
        break;
    case PAIL_KZG_RECOVER: {
        const size_t cells = request->starts ? (size_t)request->starts[n] : 0;
        inputs[count++] = (struct pail_kzg_input){"starts", (const void **)(void *)&request->starts,
                                                  (n + 1) * sizeof(*request->starts)};
        inputs[count++] = (struct pail_kzg_input){
            "indices", (const void **)(void *)&request->indices, cells * sizeof(*request->indices)};
        inputs[count++] = (struct pail_kzg_input){"cells", &request->cells, cells * cell};
        break;
    }
    default: /* PAIL_KZG_VERIFY_CELLS */
        inputs[count++] = commitments;
        inputs[count++] = (struct pail_kzg_input){
            "indices", (const void **)(void *)&request->indices, n * sizeof(*request->indices)};
        inputs[count++] = (struct pail_kzg_input){"cells", &request->cells, n * cell};
        inputs[count++] = proofs;
        break;
    }
    return count;
}

/* Starts begin at 0, do not decrease, and end at no more cells than the blobs have. */
static pail_status check_starts(const struct pail_kzg *kzg, const pail_kzg_request *request,
                                char *error, size_t capacity)
{
    if (request->n == 0)
        return PAIL_OK;
    if (!request->starts)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "request->starts is NULL");
    for (uint64_t i = 0; i <= request->n; i++)
        if (request->starts[i] < (i > 0 ? request->starts[i - 1] : 0) ||
            (i == 0 && request->starts[0] != 0))
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                               "request->starts[%llu] is %llu: they begin at 0 and do not decrease",
                               (unsigned long long)i, (unsigned long long)request->starts[i]);
    if (request->starts[request->n] > request->n * kzg->n_cells)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "request->starts ends at %llu cells: %llu blobs have at most %llu",
                           (unsigned long long)request->starts[request->n],
                           (unsigned long long)request->n,
                           (unsigned long long)(request->n * kzg->n_cells));
    return PAIL_OK;
}

/* Takes a request as far as its outputs have a size. */
pail_status pail_kzg_take_request(struct pail_kzg *kzg, pail_kzg_request *ours,
                                  const pail_kzg_request *theirs, char *error, size_t capacity)
{
    if (!kzg || !theirs)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           kzg ? "request" : "kzg");
    const pail_status status = pail_take(ours, sizeof(*ours), theirs, "request", error, capacity);
    if (status != PAIL_OK)
        return status;
    const uint32_t both = PAIL_KZG_WANT_CELLS | PAIL_KZG_WANT_PROOFS;
    const bool cells = ours->operation == PAIL_KZG_CELLS || ours->operation == PAIL_KZG_RECOVER;
    if (ours->operation < PAIL_KZG_COMMIT || ours->operation > PAIL_KZG_VERIFY_CELLS)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "request->operation is %u: there is no such operation", ours->operation);
    if ((ours->want & ~(cells ? both : 0)) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "request->want is 0x%x: the operation has no such outputs", ours->want);
    if (ours->n > N_MAX || ours->n > SIZE_MAX / (4 * kzg->n * PAIL_KZG_SCALAR_BYTES))
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "request->n is %llu: at most %u",
                           (unsigned long long)ours->n, N_MAX);
    return PAIL_OK;
}

/* Checks what remains of a request. */
pail_status pail_kzg_check_request(struct pail_kzg *kzg, pail_kzg_request *ours, char *error,
                                   size_t capacity)
{
    pail_status status = pail_check_process(error, capacity);
    if (status == PAIL_OK && ours->operation == PAIL_KZG_VERIFY_CELLS &&
        kzg->n_g2 <= kzg->cell_elements)
        return pail_report(error, capacity, PAIL_ERR_UNSUPPORTED,
                           "the setup has %zu points of G2: to verify cells takes %zu", kzg->n_g2,
                           kzg->cell_elements + 1);
    if (status == PAIL_OK && ours->operation == PAIL_KZG_RECOVER)
        status = check_starts(kzg, ours, error, capacity);
    if (status != PAIL_OK || ours->n == 0)
        return status;
    struct pail_kzg_input inputs[PAIL_KZG_INPUTS];
    const size_t n_inputs = pail_kzg_list_inputs(inputs, kzg, ours);
    for (size_t i = 0; i < n_inputs; i++)
        if (!*inputs[i].array && inputs[i].bytes > 0)
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "request->%s is NULL",
                               inputs[i].name);
    return PAIL_OK;
}

void pail_kzg_list_outputs(struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS],
                           struct pail_kzg_call *call, const pail_kzg_result *result)
{
    const struct pail_kzg_sizes sizes = pail_kzg_sizes(call->kzg, &call->request);
    outputs[0] = (struct pail_kzg_output){"commitments", &call->commitments, sizes.commitments,
                                          result ? result->commitments : NULL};
    outputs[1] = (struct pail_kzg_output){"values", &call->values, sizes.values,
                                          result ? result->values : NULL};
    outputs[2] = (struct pail_kzg_output){"proofs", &call->proofs, sizes.proofs,
                                          result ? result->proofs : NULL};
    outputs[3] =
        (struct pail_kzg_output){"cells", &call->cells, sizes.cells, result ? result->cells : NULL};
}

pail_status pail_kzg_check_outputs(const struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS],
                                   char *error, size_t capacity)
{
    for (size_t i = 0; i < PAIL_KZG_OUTPUTS; i++)
        if (outputs[i].bytes > 0 && !outputs[i].to)
            return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "result->%s is NULL",
                               outputs[i].name);
    return PAIL_OK;
}

void pail_kzg_zero_outputs(const struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS])
{
    for (size_t i = 0; i < PAIL_KZG_OUTPUTS; i++)
        if (outputs[i].to)
            memset(outputs[i].to, 0, outputs[i].bytes);
}

void pail_kzg_deliver(pail_kzg_result *theirs, pail_kzg_result *ours,
                      const struct pail_kzg_call *call)
{
    ours->valid = call->status == PAIL_OK ? call->valid : 0;
    ours->bad = call->status == PAIL_ERR_DATA ? call->bad : UINT64_MAX;
    ours->adds = call->adds;
    ours->wall_ms = call->wall_ms;
    ours->scalars_ms = call->scalars_ms;
    ours->fixed_ms = call->fixed_ms;
    ours->transform_ms = call->transform_ms;
    pail_struct_deliver(theirs, ours, sizeof(*ours));
}

/* Takes the caller's result, and writes to it what a call that did nothing has. */
pail_status pail_kzg_take_result(pail_kzg_result *ours, pail_kzg_result *theirs, char *error,
                                 size_t capacity)
{
    static const struct pail_kzg_call nothing = {.status = PAIL_OK};
    if (!theirs)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "result is NULL");
    const pail_status status = pail_take(ours, sizeof(*ours), theirs, "result", error, capacity);
    if (status == PAIL_OK)
        pail_kzg_deliver(theirs, ours, &nothing);
    return status;
}

pail_status pail_kzg_take_call(struct pail_kzg_call *call, pail_kzg_result *result,
                               pail_kzg_result *their_result, const pail_kzg_request *request,
                               char *error, size_t capacity)
{
    struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS];
    pail_status status = pail_kzg_take_result(result, their_result, error, capacity);
    if (status == PAIL_OK)
        status = pail_kzg_take_request(call->kzg, &call->request, request, error, capacity);
    if (status != PAIL_OK)
        return status;
    pail_kzg_list_outputs(outputs, call, result);
    status = pail_kzg_check_request(call->kzg, &call->request, error, capacity);
    if (status == PAIL_OK)
        status = pail_kzg_check_outputs(outputs, error, capacity);
    if (status != PAIL_OK) {
        pail_kzg_zero_outputs(outputs);
        return status;
    }
    for (size_t i = 0; i < PAIL_KZG_OUTPUTS; i++)
        if (outputs[i].bytes > 0)
            *outputs[i].at = outputs[i].to;
    return PAIL_OK;
}
