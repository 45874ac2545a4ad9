/* SPDX-License-Identifier: Apache-2.0 */
#include "prover.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pail/groth16.h>

#include <cpu/cpu.h>
#include <formats/report.h>
#include <formats/wtns.h>
#include <formats/zkey.h>

enum { PROOF_SIZE = 810, PUBLIC_SIZE_OF_ONE = 82, PUBLIC_SIZE_OF_NONE = 4 };

struct prover {
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
    pail_groth16_key *key;
    pail_groth16_key_info info;
    pail_groth16_verifying_key verifying;
};

/* A caller's error message, which may be missing. */
struct message {
    char *text;
    size_t size;
};

static struct message message_of(char *text, unsigned long long size)
{
    return (struct message){.text = text, .size = text ? (size_t)size : 0};
}

#define SAY(message, ...)                                                                          \
    pail_report((message).text, (message).size, PAIL_ERR_ARGUMENT, __VA_ARGS__)

/* Replaces Pail's sentence by words of rapidsnark where its programs look for them. */
static pail_status use_their_words(pail_status status, const void *bytes, size_t size,
                                   const char *type, struct message message)
{
    if (status == PAIL_ERR_UNSUPPORTED)
        (void)SAY(message, "zkey file is not groth16");
    else if (status != PAIL_OK && bytes && size < 12)
        (void)SAY(message, "File is too short.");
    else if (status != PAIL_OK && bytes && memcmp(bytes, type, 4) != 0)
        (void)SAY(message, "Invalid file type. It should be %s and it is %.4s", type,
                  (const char *)bytes);
    return status;
}

/* Reads the header alone. path: NULL: in memory. */
static int public_size(unsigned long long *size, const char *path, const void *bytes,
                       size_t n_bytes, struct message message)
{
    struct pail_zkey zkey;
    pail_status status =
        path ? pail_zkey_open(&zkey, path, message.text, message.size)
             : pail_zkey_parse(&zkey, "the zkey", bytes, n_bytes, message.text, message.size);
    status = use_their_words(status, bytes, n_bytes, "zkey", message);
    if (status == PAIL_OK)
        *size = (unsigned long long)zkey.n_public * PUBLIC_SIZE_OF_ONE + PUBLIC_SIZE_OF_NONE;
    pail_zkey_close(&zkey);
    return status == PAIL_OK ? PROVER_OK : PROVER_ERROR;
}

int groth16_public_size_for_zkey_buf(const void *zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long *size, char *error_msg,
                                     unsigned long long error_msg_maxsize)
{
    const struct message message = message_of(error_msg, error_msg_maxsize);
    if (!zkey_buffer || !size) {
        (void)SAY(message, "Null %s", !zkey_buffer ? "zkey buffer" : "public size");
        return PROVER_ERROR;
    }
    return public_size(size, NULL, zkey_buffer, (size_t)zkey_size, message);
}

int groth16_public_size_for_zkey_file(const char *zkey_fname, unsigned long long *size,
                                      char *error_msg, unsigned long long error_msg_maxsize)
{
    const struct message message = message_of(error_msg, error_msg_maxsize);
    if (!zkey_fname || !size) {
        (void)SAY(message, "Null %s", !zkey_fname ? "zkey file name" : "public size");
        return PROVER_ERROR;
    }
    return public_size(size, zkey_fname, NULL, 0, message);
}

void groth16_proof_size(unsigned long long *proof_size)
{
    if (proof_size)
        *proof_size = PROOF_SIZE;
}

static pail_status open_backend(struct prover *prover, struct message message)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    pail_status status = pail_registry_create(&prover->registry, NULL, message.text, message.size);
    if (status == PAIL_OK)
        status = pail_registry_find_for(prover->registry, &prover->backend, NULL,
                                        PAIL_ABILITY_VECTORS, message.text, message.size);
    if (status != PAIL_OK)
        return status;
    status = prover->backend->context_create(pail_registry_host(prover->registry), &prover->context,
                                             &params);
    if (status != PAIL_OK)
        return pail_report(message.text, message.size, status, "%s: %s", prover->backend->name,
                           prover->backend->error(NULL));
    return PAIL_OK;
}

/* A source of a key: a file or memory, for one proof or several. */
struct source {
    const char *path;
    const void *bytes;
    size_t n_bytes;
    bool once;
};

static int create(void **prover_object, const struct source *from, struct message message)
{
    pail_groth16_key_params params = {.struct_size = sizeof(params),
                                      .path = from->path,
                                      .bytes = from->bytes,
                                      .n_bytes = from->n_bytes};
    struct prover *const prover = calloc(1, sizeof(*prover));
    if (!prover) {
        (void)SAY(message, "no memory for a prover");
        return PROVER_ERROR;
    }
    pail_status status = open_backend(prover, message);
    if (status == PAIL_OK) {
        /* The least memory, for kept points would save nothing; a device copies points beside its
         * work. */
        if (from->once && pail_is_cpu(prover->backend))
            params.flags = PAIL_GROTH16_KEY_ONCE;
        status = pail_groth16_key_open(&prover->key, prover->backend, prover->context, &params,
                                       message.text, message.size);
        status = use_their_words(status, from->bytes, from->n_bytes, "zkey", message);
    }
    if (status == PAIL_OK) {
        prover->info.struct_size = sizeof(prover->info);
        prover->verifying.struct_size = sizeof(prover->verifying);
        (void)pail_groth16_key_get_info(prover->key, &prover->info);
        (void)pail_groth16_key_verifying(prover->key, &prover->verifying);
        if (prover->info.curve != PAIL_CURVE_BN254)
            status = SAY(message, "zkey curve not supported");
    }
    if (status != PAIL_OK) {
        groth16_prover_destroy(prover);
        return PROVER_ERROR;
    }
    *prover_object = prover;
    return PROVER_OK;
}

static int create_from_buffer(void **prover_object, const void *zkey_buffer,
                              unsigned long long zkey_size, bool once, char *error_msg,
                              unsigned long long error_msg_maxsize)
{
    const struct message message = message_of(error_msg, error_msg_maxsize);
    const struct source from = {.bytes = zkey_buffer, .n_bytes = (size_t)zkey_size, .once = once};
    if (!prover_object || !zkey_buffer) {
        (void)SAY(message, "Null %s", !prover_object ? "prover object" : "zkey buffer");
        return PROVER_ERROR;
    }
    return create(prover_object, &from, message);
}

int groth16_prover_create(void **prover_object, const void *zkey_buffer,
                          unsigned long long zkey_size, char *error_msg,
                          unsigned long long error_msg_maxsize)
{
    return create_from_buffer(prover_object, zkey_buffer, zkey_size, false, error_msg,
                              error_msg_maxsize);
}

static int create_from_file(void **prover_object, const char *zkey_file_path, bool once,
                            char *error_msg, unsigned long long error_msg_maxsize)
{
    const struct message message = message_of(error_msg, error_msg_maxsize);
    const struct source from = {.path = zkey_file_path, .once = once};
    if (!prover_object || !zkey_file_path) {
        (void)SAY(message, "Null %s", !prover_object ? "prover object" : "zkey file name");
        return PROVER_ERROR;
    }
    return create(prover_object, &from, message);
}

int groth16_prover_create_zkey_file(void **prover_object, const char *zkey_file_path,
                                    char *error_msg, unsigned long long error_msg_maxsize)
{
    return create_from_file(prover_object, zkey_file_path, false, error_msg, error_msg_maxsize);
}

void groth16_prover_destroy(void *prover_object)
{
    struct prover *const prover = prover_object;
    if (!prover)
        return;
    pail_groth16_key_close(&prover->key);
    if (prover->context)
        prover->backend->context_destroy(&prover->context);
    pail_registry_destroy(&prover->registry);
    free(prover);
}

/* Buffers of a caller, with their sizes. */
struct outputs {
    char *proof;
    unsigned long long *proof_size;
    char *publics;
    unsigned long long *public_size;
};

static int give_texts(const struct outputs *outputs, const pail_groth16_proof *proof,
                      const uint8_t *publics, uint64_t n_public, struct message message)
{
    size_t proof_length = 0, public_length = 0;
    const uint32_t layout = PAIL_GROTH16_RAPIDSNARK;
    pail_status status =
        pail_groth16_proof_text(NULL, 0, &proof_length, proof, layout, message.text, message.size);
    if (status == PAIL_OK)
        status = pail_groth16_public_text(NULL, 0, &public_length, publics, n_public, layout,
                                          message.text, message.size);
    if (status != PAIL_OK)
        return PROVER_ERROR;
    const unsigned long long proof_room = *outputs->proof_size, public_room = *outputs->public_size;
    if (proof_room <= proof_length || public_room <= public_length) {
        *outputs->proof_size = proof_length + 1;
        *outputs->public_size = public_length + 1;
        (void)SAY(message,
                  "Buffer insufficient for generated proof. Required - proof: %llu (provided: "
                  "%llu), public: %llu (provided: %llu)",
                  *outputs->proof_size, proof_room, *outputs->public_size, public_room);
        return PROVER_ERROR_SHORT_BUFFER;
    }
    status = pail_groth16_proof_text(outputs->proof, (size_t)proof_room, &proof_length, proof,
                                     layout, message.text, message.size);
    if (status == PAIL_OK)
        status = pail_groth16_public_text(outputs->publics, (size_t)public_room, &public_length,
                                          publics, n_public, layout, message.text, message.size);
    *outputs->proof_size = proof_length;
    *outputs->public_size = public_length;
    return status == PAIL_OK ? PROVER_OK : PROVER_ERROR;
}

static int prove(const struct prover *prover, const void *wtns, size_t n_wtns,
                 const struct outputs *outputs, struct message message)
{
    const uint64_t n_public = prover->info.n_public;
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = wtns, .n_wtns = n_wtns};
    uint32_t valid = 0;
    uint8_t *const publics = malloc((size_t)n_public * 32 + 1);
    pail_status status = PAIL_OK;
    if (!publics)
        status = SAY(message, "no memory for the public values");
    if (status == PAIL_OK)
        status = pail_groth16_prove(prover->key, &proof, publics, NULL, &witness, NULL,
                                    message.text, message.size);
    if (status == PAIL_OK)
        status = pail_groth16_verify(&valid, &prover->verifying, &proof, publics, n_public,
                                     message.text, message.size);
    if (status == PAIL_OK && valid == 0)
        status = SAY(message, "the witness does not satisfy the circuit: its proof is not valid");
    const int result =
        status == PAIL_OK ? give_texts(outputs, &proof, publics, n_public, message) : PROVER_ERROR;
    free(publics);
    return result;
}

static const char *missing(const void *prover_object, const void *wtns_buffer,
                           const struct outputs *outputs)
{
    const struct {
        const void *argument;
        const char *name;
    } rows[] = {
        {prover_object, "prover object"},    {wtns_buffer, "witness buffer"},
        {outputs->proof, "proof buffer"},    {outputs->proof_size, "proof size"},
        {outputs->publics, "public buffer"}, {outputs->public_size, "public size"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!rows[i].argument)
            return rows[i].name;
    return NULL;
}

int groth16_prover_prove(void *prover_object, const void *wtns_buffer, unsigned long long wtns_size,
                         char *proof_buffer, unsigned long long *proof_size, char *public_buffer,
                         unsigned long long *size, char *error_msg,
                         unsigned long long error_msg_maxsize)
{
    const struct message message = message_of(error_msg, error_msg_maxsize);
    const struct outputs outputs = {proof_buffer, proof_size, public_buffer, size};
    const char *const name = missing(prover_object, wtns_buffer, &outputs);
    if (name) {
        (void)SAY(message, "Null %s", name);
        return PROVER_ERROR;
    }
    const struct prover *const prover = prover_object;
    const size_t n_wtns = (size_t)wtns_size;
    struct pail_wtns_place wtns;
    const pail_status status =
        pail_wtns_locate(&wtns, "the witness", &(struct pail_binfile_bytes){wtns_buffer, n_wtns},
                         NULL, message.text, message.size);
    if (use_their_words(status, wtns_buffer, n_wtns, "wtns", message) != PAIL_OK)
        return PROVER_ERROR;
    if (wtns.count != prover->info.n_vars) {
        (void)SAY(message, "Invalid witness length. Circuit: %llu, witness: %zu",
                  (unsigned long long)prover->info.n_vars, wtns.count);
        return PROVER_INVALID_WITNESS_LENGTH;
    }
    if (wtns.curve != prover->info.curve) {
        (void)SAY(message, "different wtns curve");
        return PROVER_ERROR;
    }
    return prove(prover, wtns_buffer, n_wtns, &outputs, message);
}

/* Proves with a prover that was created with `created`, and destroys it. */
static int prove_once(int created, void *prover, const void *wtns_buffer,
                      unsigned long long wtns_size, const struct outputs *outputs, char *error_msg,
                      unsigned long long error_msg_maxsize)
{
    if (created != PROVER_OK)
        return created;
    const int result =
        groth16_prover_prove(prover, wtns_buffer, wtns_size, outputs->proof, outputs->proof_size,
                             outputs->publics, outputs->public_size, error_msg, error_msg_maxsize);
    groth16_prover_destroy(prover);
    return result;
}

int groth16_prover(const void *zkey_buffer, unsigned long long zkey_size, const void *wtns_buffer,
                   unsigned long long wtns_size, char *proof_buffer, unsigned long long *proof_size,
                   char *public_buffer, unsigned long long *size, char *error_msg,
                   unsigned long long error_msg_maxsize)
{
    const struct outputs outputs = {proof_buffer, proof_size, public_buffer, size};
    void *prover = NULL;
    const int created =
        create_from_buffer(&prover, zkey_buffer, zkey_size, true, error_msg, error_msg_maxsize);
    return prove_once(created, prover, wtns_buffer, wtns_size, &outputs, error_msg,
                      error_msg_maxsize);
}

int groth16_prover_zkey_file(const char *zkey_file_path, const void *wtns_buffer,
                             unsigned long long wtns_size, char *proof_buffer,
                             unsigned long long *proof_size, char *public_buffer,
                             unsigned long long *size, char *error_msg,
                             unsigned long long error_msg_maxsize)
{
    const struct outputs outputs = {proof_buffer, proof_size, public_buffer, size};
    void *prover = NULL;
    const int created =
        create_from_file(&prover, zkey_file_path, true, error_msg, error_msg_maxsize);
    return prove_once(created, prover, wtns_buffer, wtns_size, &outputs, error_msg,
                      error_msg_maxsize);
}
