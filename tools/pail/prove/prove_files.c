/* SPDX-License-Identifier: Apache-2.0 */
/* Files of `pail prove`, told apart by their content. */
#include <string.h>

#include <formats/file.h>

#include "prove.h"

enum { KIND_KEY, KIND_WITNESS, KIND_CIRCUIT, KIND_INPUTS, KINDS };

/* The kind by the first bytes; what has none of the others' is taken for inputs. */
static pail_status read_kind(int *kind, const char *path, struct pail_error *error)
{
    static const char magics[KIND_INPUTS][4] = {"zkey", "wtns", {0, 'a', 's', 'm'}};
    struct pail_file file;
    char magic[4] = "";
    pail_status status = pail_told(error, pail_file_open(&file, path, PAIL_SENTENCE(error)));
    if (status == PAIL_OK && file.size >= sizeof(magic))
        status =
            pail_told(error, pail_file_read(&file, magic, sizeof(magic), 0, PAIL_SENTENCE(error)));
    pail_file_close(&file);
    for (*kind = 0; *kind < KIND_INPUTS; ++*kind)
        if (memcmp(magic, magics[*kind], sizeof(magic)) == 0)
            break;
    return status;
}

pail_status pail_prove_take_files(struct pail_prove_options *options, const struct pail_call *call,
                                  size_t n, struct pail_error *error)
{
    const char *files[KINDS] = {NULL};
    char *const *const words = call->words;
    const bool runs = n == 3 || options->batch; /* a circuit */
    for (size_t i = 0; i < n; i++) {
        int kind;
        const pail_status status = read_kind(&kind, words[i], error);
        if (status != PAIL_OK)
            return status;
        if (runs && !options->batch && kind == KIND_WITNESS)
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "%s is a witness, beside which only KEY.zkey is expected, or also "
                             "PROOF.json PUBLIC.json, got %zu; see pail prove --help",
                             words[i], call->n);
        files[kind] = words[i];
    }
    const char *const circuit = files[KIND_CIRCUIT];
    if (runs && (!files[KIND_KEY] || !circuit || (n == 3 && !files[KIND_INPUTS])))
        return pail_fail(error, PAIL_ERR_DATA,
                         "a key, a circuit%s are expected, and none of the files is %s",
                         n == 3 ? " and its inputs" : "",
                         !files[KIND_KEY] ? "a key (.zkey)"
                         : !circuit       ? "a circuit (.wasm)"
                                          : "inputs (.json)");
    if (!runs && circuit)
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: is a circuit; its inputs are expected beside it, as CIRCUIT.wasm "
                         "INPUT.json",
                         circuit);
    const bool known = runs || (files[KIND_KEY] && files[KIND_WITNESS]);
    options->key = known ? files[KIND_KEY] : words[0];
    options->circuit = circuit;
    options->inputs = files[KIND_INPUTS];
    options->witness = runs ? options->inputs : known ? files[KIND_WITNESS] : words[1];
    return PAIL_OK;
}
