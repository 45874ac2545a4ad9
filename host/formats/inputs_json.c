/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include "inputs_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "report.h"
#include <platform/memory.h>

enum {
    VALUE_BYTES = 32,
    PLACE_CHARS = 512, /* of a signal's name with its indices */
    DEPTH_MAX = 64     /* of arrays and buses */
};

struct reader {
    struct pail_inputs *inputs;
    const char *name;
    char *error;
    size_t error_cap;
};

/* ---- Values ---------------------------------------------------------------------------------- */

static void negate(uint8_t value[VALUE_BYTES])
{
    unsigned carry = 1;
    for (size_t i = 0; i < VALUE_BYTES; i++) {
        carry += (uint8_t)~value[i];
        value[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static bool read_hex(uint8_t value[VALUE_BYTES], const char *digits, size_t n)
{
    bool good = n > 0;
    for (size_t i = 0; i < n && good; i++) {
        static const char all[] = "0123456789abcdefABCDEF";
        const char *const at = memchr(all, digits[n - 1 - i], sizeof(all) - 1);
        const size_t digit = at ? (size_t)(at - all) : 0;
        good = at && (i < (size_t)2 * VALUE_BYTES || digit == 0);
        if (good && digit != 0)
            value[i / 2] |= (uint8_t)((digit < 16 ? digit : digit - 6) << (4 * (i % 2)));
    }
    return good;
}

/* False: it is no integer, or not between -2^255 and 2^255. */
static bool read_text(uint8_t value[VALUE_BYTES], const char *text, size_t n)
{
    const bool negative = n > 0 && text[0] == '-';
    text += negative;
    n -= negative;
    const bool hex = n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex ? !read_hex(value, text + 2, n - 2)
            : pail_decimal_read(value, VALUE_BYTES, text, n) != PAIL_DECIMAL_OK)
        return false;
    if (value[VALUE_BYTES - 1] > 127)
        return false;
    if (negative)
        negate(value);
    return true;
}

static pail_status read_value(uint8_t value[VALUE_BYTES], const json_t *given, const char *place,
                              const struct reader *reader)
{
    bool good = true;
    memset(value, 0, VALUE_BYTES);
    if (json_is_integer(given)) {
        const json_int_t number = json_integer_value(given);
        memset(value, number < 0 ? 255 : 0, VALUE_BYTES);
        for (size_t i = 0; i < sizeof(number); i++)
            value[i] = (uint8_t)((uint64_t)number >> (8 * i));
    } else if (json_is_boolean(given)) {
        value[0] = json_is_true(given);
    } else if (json_is_string(given)) {
        good = read_text(value, json_string_value(given), json_string_length(given));
    } else {
        good = false;
    }
    if (good)
        return PAIL_OK;
    memset(value, 0, VALUE_BYTES);
    return pail_report(
        reader->error, reader->error_cap, PAIL_ERR_DATA,
        "%s: %s is no integer of at most 255 bits, as a number or a string of decimal "
        "or, after 0x, hexadecimal digits",
        reader->name, place);
}

/* Puts the values of arrays of any depth behind each other, and counts them; values NULL: counts
 * alone. `place` is that of `given`, and as long again afterwards. */
static pail_status read_values(uint8_t *values, size_t *n, const json_t *given,
                               char place[PLACE_CHARS], unsigned depth, const struct reader *reader)
{
    const size_t length = strlen(place);
    pail_status status = PAIL_OK;
    if (!json_is_array(given)) {
        if (values)
            status = read_value(values + *n * VALUE_BYTES, given, place, reader);
        ++*n;
        return status;
    }
    if (depth >= DEPTH_MAX)
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s has more than %d arrays within each other", reader->name, place,
                           DEPTH_MAX);
    for (size_t i = 0; status == PAIL_OK && i < json_array_size(given); i++) {
        (void)snprintf(place + length, PLACE_CHARS - length, "[%zu]", i);
        status = read_values(values, n, json_array_get(given, i), place, depth + 1, reader);
        place[length] = '\0';
    }
    return status;
}

/* ---- Signals --------------------------------------------------------------------------------- */

static pail_status no_memory(const struct reader *reader)
{
    return pail_report(reader->error, reader->error_cap, PAIL_ERR_HOST_MEMORY,
                       "%s: no memory for its values", reader->name);
}

static pail_status add_signal(const char *name, const json_t *given, struct reader *reader)
{
    struct pail_inputs *const inputs = reader->inputs;
    if (inputs->n == inputs->capacity) {
        const size_t capacity = inputs->capacity ? 2 * inputs->capacity : 16;
        pail_circuit_signal *const more = realloc(inputs->signals, capacity * sizeof(*more));
        if (!more)
            return no_memory(reader);
        inputs->signals = more;
        inputs->capacity = capacity;
    }
    char place[PLACE_CHARS];
    size_t n = 0;
    (void)snprintf(place, sizeof(place), "%s", name);
    pail_status status = read_values(NULL, &n, given, place, 0, reader);
    if (status != PAIL_OK)
        return status;
    uint8_t *const values = calloc(n + 1, VALUE_BYTES);
    char *const copy = strdup(name);
    inputs->signals[inputs->n++] = (pail_circuit_signal){.name = copy, .values = values, .n = n};
    if (!values || !copy) {
        inputs->signals[inputs->n - 1].n = 0;
        return no_memory(reader);
    }
    n = 0;
    return read_values(values, &n, given, place, 0, reader);
}

/* True if an array of any depth begins with a bus. */
static bool has_buses(const json_t *given)
{
    for (unsigned i = 0; i < DEPTH_MAX && json_is_array(given); i++)
        given = json_array_get(given, 0);
    return json_is_object(given);
}

static pail_status add(char name[PLACE_CHARS], json_t *given, unsigned depth, struct reader *reader)
{
    const size_t length = strlen(name);
    pail_status status = PAIL_OK;
    size_t i;
    const char *key;
    json_t *value;
    if (!has_buses(given))
        return add_signal(name, given, reader);
    if (depth >= DEPTH_MAX || length > PLACE_CHARS / 2)
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s has too many buses within each other", reader->name, name);
    if (json_is_array(given))
        json_array_foreach(given, i, value)
        {
            (void)snprintf(name + length, PLACE_CHARS - length, "[%zu]", i);
            if (status == PAIL_OK)
                status = add(name, value, depth + 1, reader);
            name[length] = '\0';
        }
    else
        json_object_foreach(given, key, value)
        {
            if (length + strlen(key) + 32 > PLACE_CHARS)
                status = pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                                     "%s: the name of a signal has more than %d bytes",
                                     reader->name, PLACE_CHARS / 2);
            (void)snprintf(name + length, PLACE_CHARS - length, "%s%s", length ? "." : "", key);
            if (status == PAIL_OK)
                status = add(name, value, depth + 1, reader);
            name[length] = '\0';
        }
    return status;
}

pail_status pail_inputs_of_json(struct pail_inputs *inputs, json_t *root, const char *name,
                                char *error, size_t error_cap)
{
    struct reader reader = {inputs, name, error, error_cap};
    char signal[PLACE_CHARS] = "";
    *inputs = (struct pail_inputs){.n = 0};
    if (!json_is_object(root))
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: is no object with the input signals of a circuit", name);
    pail_status status = PAIL_OK;
    if (json_object_size(root) > 0)
        status = add(signal, root, 0, &reader);
    if (status != PAIL_OK)
        pail_inputs_free(inputs);
    return status;
}

pail_status pail_inputs_of_text(struct pail_inputs *inputs, const char *text, size_t size,
                                const char *name, char *error, size_t error_cap)
{
    json_error_t wrong;
    json_t *const root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    *inputs = (struct pail_inputs){.n = 0};
    if (!root) {
        const enum json_error_code code = json_error_code(&wrong);
        const char *const what = code == json_error_numeric_overflow
                                     ? "the integer has more than 63 bits and has to be a string"
                                 : code == json_error_duplicate_key ? "the name stands there twice"
                                 : code == json_error_stack_overflow
                                     ? "arrays and objects are nested too deep"
                                     : "it is no JSON";
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: line %d, column %d: %s", name,
                           wrong.line, wrong.column, what);
    }
    const pail_status status = pail_inputs_of_json(inputs, root, name, error, error_cap);
    json_decref(root);
    return status;
}

void pail_inputs_free(struct pail_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) {
        void *const values = (void *)(uintptr_t)inputs->signals[i].values;
        if (values)
            pail_wipe(values, inputs->signals[i].n * VALUE_BYTES);
        free(values);
        free((void *)(uintptr_t)inputs->signals[i].name);
    }
    free(inputs->signals);
    *inputs = (struct pail_inputs){.n = 0};
}
