/* SPDX-License-Identifier: Apache-2.0 */
/* The command `verifier` of rapidsnark: the same arguments, the same lines on standard error, the
 * same exit statuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <formats/file.h>
#include <platform/text.h>

#include "verifier.h"

enum { FILES = 3, ERROR_CHARS = 1024 };

/* Reads a file as a text that ends in a zero byte, for the caller to free; NULL, with a sentence,
 * if it cannot be read. */
static char *read_text(const char *path, char *error, size_t error_cap)
{
    struct pail_bytes bytes;
    if (pail_file_load_whole(&bytes, path, error, error_cap) != PAIL_OK)
        return NULL;
    char *const text = malloc(bytes.size + 1);
    if (text) {
        if (bytes.size > 0)
            memcpy(text, bytes.data, bytes.size);
        text[bytes.size] = '\0';
    } else {
        (void)pail_line(error, error_cap, "%s: no memory for %zu bytes", path, bytes.size);
    }
    pail_bytes_free(&bytes, false);
    return text;
}

/* Verifies. EXIT_SUCCESS: valid. */
static int verify(char *const *texts, char *error, size_t error_cap)
{
    switch (groth16_verify(texts[2], texts[1], texts[0], error, error_cap)) {
    case VERIFIER_VALID_PROOF:
        (void)pail_print(stderr, "Result: Valid proof\n");
        return EXIT_SUCCESS;
    case VERIFIER_INVALID_PROOF:
        (void)pail_print(stderr, "Result: Invalid proof\n");
        return EXIT_FAILURE;
    default:
        (void)pail_print(stderr, "Error: %s\n", error);
        return EXIT_FAILURE;
    }
}

int main(int argc, char **argv)
{
    char error[ERROR_CHARS] = "";
    char *texts[FILES] = {NULL};
    if (argc != 1 + FILES) {
        (void)fputs("Invalid number of parameters:\n"
                    "Usage: verifier <verification_key.json> <inputs.json> <proof.json>\n",
                    stderr);
        return EXIT_FAILURE;
    }
    size_t n = 0;
    while (n < FILES && (texts[n] = read_text(argv[1 + n], error, sizeof(error))) != NULL)
        n++;
    int result = EXIT_FAILURE;
    if (n == FILES)
        result = verify(texts, error, sizeof(error));
    else
        (void)pail_print(stderr, "Error: %s\n", error);
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    return result;
}
