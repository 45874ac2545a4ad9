/* SPDX-License-Identifier: Apache-2.0 */
#include "eip_cases.h"

#include <dirent.h>
#include <unistd.h>

#include "support/test.h"

#include <jansson.h>

#include <formats/bytes.h>

/* The bytes of `digits` characters. */
static uint8_t *from_hex(size_t *size, const char *hex, size_t digits)
{
    assert_int_equal(digits % 2, 0);
    *size = digits / 2;
    uint8_t *const bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(pail_hex_read(bytes, hex, *size), *size);
    return bytes;
}

static char *copy_text(const char *text)
{
    char *const copy = text != NULL ? strdup(text) : NULL;
    assert_true(text == NULL || copy != NULL);
    return copy;
}

static struct eip_case *append(struct eip_cases *cases)
{
    struct eip_case *const more = realloc(cases->one, (cases->count + 1) * sizeof(*more));
    assert_non_null(more);
    cases->one = more;
    more[cases->count] = (struct eip_case){0};
    return &more[cases->count++];
}

struct eip_cases eip_cases_load(const char *path)
{
    struct eip_cases cases = {0};
    if (access(path, F_OK) != 0)
        return cases;
    json_error_t problem;
    json_t *const file = json_load_file(path, 0, &problem);
    if (file == NULL)
        fail_msg("%s: %s", path, problem.text);
    for (size_t i = 0; i < json_array_size(file); i++) {
        const json_t *const object = json_array_get(file, i);
        const char *const input = json_string_value(json_object_get(object, "Input"));
        const char *const expected = json_string_value(json_object_get(object, "Expected"));
        const char *const fault = json_string_value(json_object_get(object, "ExpectedError"));
        if (input == NULL || (expected == NULL) == (fault == NULL))
            fail_msg("%s: case %zu is incomplete", path, i);
        struct eip_case *const one = append(&cases);
        one->name = copy_text(json_string_value(json_object_get(object, "Name")));
        one->input = from_hex(&one->input_bytes, input, strlen(input));
        one->fault = copy_text(fault);
        if (expected != NULL)
            one->expected = from_hex(&one->expected_bytes, expected, strlen(expected));
    }
    json_decref(file);
    return cases;
}

static char *read_text(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    size_t size = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    assert_non_null(text);
    for (;;) {
        const size_t got = fread(text + size, 1, capacity - 1 - size, file);
        if (got == 0)
            break;
        size += got;
        if (size == capacity - 1) {
            capacity *= 2;
            text = realloc(text, capacity);
            assert_non_null(text);
        }
    }
    text[size] = '\0';
    assert_int_equal(fclose(file), 0);
    return text;
}

/* The bytes of the line `key: '0x...'`; NULL if its value is null. */
static uint8_t *yaml_bytes(size_t *size, const char *text, const char *key, const char *path)
{
    const char *at = strstr(text, key);
    if (at == NULL)
        fail_msg("%s has no \"%s\"", path, key);
    at += strlen(key);
    if (strncmp(at, " null", 5) == 0)
        return NULL;
    assert_memory_equal(at, " '0x", 4);
    at += 4;
    const char *const end = strchr(at, '\'');
    assert_non_null(end);
    return from_hex(size, at, (size_t)(end - at));
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

struct eip_cases eip_blobs_load(const char *folder)
{
    struct eip_cases cases = {0};
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, visible, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        assert_true(snprintf(path, sizeof(path), "%s/%s/data.yaml", folder, entries[i]->d_name) <
                    (int)sizeof(path));
        char *const text = read_text(path);
        struct eip_case *const one = append(&cases);
        one->name = copy_text(entries[i]->d_name);
        one->input = yaml_bytes(&one->input_bytes, text, "blob:", path);
        assert_non_null(one->input);
        one->expected = yaml_bytes(&one->expected_bytes, text, "output:", path);
        free(text);
        free(entries[i]);
    }
    free(entries);
    return cases;
}

void eip_cases_free(struct eip_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->one[i].name);
        free(cases->one[i].input);
        free(cases->one[i].expected);
        free(cases->one[i].fault);
    }
    free(cases->one);
    *cases = (struct eip_cases){0};
}
