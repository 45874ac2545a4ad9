/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and results of <pail/kzg.h> as callers pass them. */
#ifndef PAIL_KZG_REQUEST_H
#define PAIL_KZG_REQUEST_H

#include "call.h"

/* An array of a request. */
struct pail_kzg_input {
    const char *name;
    const void **array;
    size_t bytes;
};

enum { PAIL_KZG_INPUTS = 8 };

/* An output: where the call has it, where the caller wants it. */
struct pail_kzg_output {
    const char *name;
    uint8_t **at;
    size_t bytes;
    void *to;
};

enum { PAIL_KZG_OUTPUTS = 4 };

/* Lists the arrays that the operation reads; returns their number. */
size_t pail_kzg_list_inputs(struct pail_kzg_input inputs[PAIL_KZG_INPUTS],
                            const struct pail_kzg *kzg, pail_kzg_request *request);

/* Takes a request as far as its outputs have a size. */
pail_status pail_kzg_take_request(struct pail_kzg *kzg, pail_kzg_request *ours,
                                  const pail_kzg_request *theirs, char *error, size_t capacity);

/* Checks what remains of a request. */
pail_status pail_kzg_check_request(struct pail_kzg *kzg, pail_kzg_request *ours, char *error,
                                   size_t capacity);

/* result: the caller's outputs; NULL: none. */
void pail_kzg_list_outputs(struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS],
                           struct pail_kzg_call *call, const pail_kzg_result *result);
pail_status pail_kzg_check_outputs(const struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS],
                                   char *error, size_t capacity);
void pail_kzg_zero_outputs(const struct pail_kzg_output outputs[PAIL_KZG_OUTPUTS]);

/* Takes the caller's result, and writes to it what a call that did nothing has. */
pail_status pail_kzg_take_result(pail_kzg_result *ours, pail_kzg_result *theirs, char *error,
                                 size_t capacity);

/* Writes what the call has beside its outputs. */
void pail_kzg_deliver(pail_kzg_result *theirs, pail_kzg_result *ours,
                      const struct pail_kzg_call *call);

/* Takes all of a call that reads the caller's arrays and writes to them. call: kzg is set, NULL is
 * refused. On failure outputs that have a size are zeroed. */
pail_status pail_kzg_take_call(struct pail_kzg_call *call, pail_kzg_result *result,
                               pail_kzg_result *their_result, const pail_kzg_request *request,
                               char *error, size_t capacity);

#endif /* PAIL_KZG_REQUEST_H */
