/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <unistd.h>

#include "setup.h"
#include "support/test.h"

enum { FILE_HEADER_BYTES = 12, SECTION_HEADER_BYTES = 12 };

void support_read_file(struct support_bytes *bytes, const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes->size = (size_t)ftell(file);
    rewind(file);
    bytes->data = malloc(bytes->size + 1);
    assert_non_null(bytes->data);
    assert_int_equal(fread(bytes->data, 1, bytes->size, file), bytes->size);
    (void)fclose(file);
}

void support_make_case(struct support_case *files, const struct circuit_params *params)
{
    char folder[] = "/tmp/pail-prover-XXXXXX";
    char paths[3][64];
    char error[512] = "";
    static const char *const names[] = {"r1cs", "wtns", "zkey"};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++)
        (void)snprintf(paths[i], sizeof(paths[i]), "%s/c.%s", folder, names[i]);
    assert_true(circuit_write(paths[0], paths[1], params));
    if (insecure_setup(paths[2], paths[0], 7, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    *files = (struct support_case){.n_public = params->n_public};
    support_read_file(&files->wtns, paths[1]);
    support_read_file(&files->zkey, paths[2]);
    for (int i = 0; i < 3; i++)
        assert_int_equal(unlink(paths[i]), 0);
    assert_int_equal(rmdir(folder), 0);
}

void support_case_free(struct support_case *files)
{
    free(files->zkey.data);
    free(files->wtns.data);
    *files = (struct support_case){0};
}

uint8_t *support_section(const struct support_bytes *file, uint32_t type, uint64_t *size)
{
    for (size_t at = FILE_HEADER_BYTES; at + SECTION_HEADER_BYTES <= file->size;) {
        uint32_t here;
        memcpy(&here, file->data + at, sizeof(here));
        memcpy(size, file->data + at + 4, sizeof(*size));
        at += SECTION_HEADER_BYTES;
        if (here == type)
            return file->data + at;
        at += (size_t)*size;
    }
    fail_msg("no section %u", type);
    return NULL;
}

pail_groth16_key_params support_params(const struct support_bytes *zkey)
{
    return (pail_groth16_key_params){.struct_size = sizeof(pail_groth16_key_params),
                                     .validation = PAIL_VALIDATE_SUBGROUP,
                                     .bytes = zkey->data,
                                     .n_bytes = zkey->size,
                                     .name = "k.zkey"};
}

pail_groth16_key *support_open(const struct support_bytes *zkey)
{
    pail_groth16_key *key = NULL;
    char error[512] = "";
    const pail_groth16_key_params params = support_params(zkey);
    if (pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    return key;
}

void support_expect_words(const char *sentence, const char *words)
{
    char list[256];
    assert_true(strlen(words) < sizeof(list));
    (void)strcpy(list, words);
    const char *from = sentence;
    for (char *word = strtok(list, "|"); word != NULL; word = strtok(NULL, "|")) {
        from = strstr(from, word);
        if (from == NULL)
            fail_msg("\"%s\" lacks \"%s\"", sentence, word);
    }
}

void support_expect_refused(const struct support_bytes *zkey, pail_status status, const char *words)
{
    pail_groth16_key *key = NULL;
    memset(&key, 0xa5, sizeof(key)); /* something that has to go */
    char error[512] = "";
    const pail_groth16_key_params params = support_params(zkey);
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error)),
                     status);
    assert_null(key);
    support_expect_words(error, words);
}

void support_prove(struct support_proof *made, const pail_groth16_key *key,
                   const struct support_bytes *wtns, const pail_groth16_options *options)
{
    char error[512] = "";
    pail_groth16_key_info info = {.struct_size = sizeof(info)};
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = wtns->data, .n_wtns = wtns->size};
    assert_int_equal(pail_groth16_key_get_info(key, &info), PAIL_OK);
    assert_int_equal(pail_groth16_key_verifying(key, &verifying), PAIL_OK);
    *made = (struct support_proof){.n_public = info.n_public};
    made->publics = malloc((size_t)info.n_public * 32 + 1);
    assert_non_null(made->publics);
    made->proof.struct_size = sizeof(made->proof);
    if (pail_groth16_prove(key, &made->proof, made->publics, NULL, &witness, options, error,
                           sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    assert_string_equal(error, ""); /* also where a device was lost on the way */
    uint32_t valid = 0;
    if (pail_groth16_verify(&valid, &verifying, &made->proof, made->publics, made->n_public, error,
                            sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    made->valid = valid != 0;
}

void support_proof_free(struct support_proof *made)
{
    free(made->publics);
    *made = (struct support_proof){0};
}
