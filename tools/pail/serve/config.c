/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "options/guess.h"

struct config {
    const char *path, *own;
    struct pail_call *call;
    void *options;
    struct pail_error *error;
};

/* The row of that name and its number. Other spellings are those of the command line. */
static const struct pail_option *find(const struct config *config, const char *name, size_t *number,
                                      void **base)
{
    const struct pail_option *row;
    size_t offset;
    for (size_t i = 0; (row = pail_command_row(config->call->command, i, &offset)) != NULL; i++) {
        if (!row->name || strcmp(row->name, name) != 0)
            continue;
        *number = i;
        *base =
            pail_option_is_common(row) ? (char *)config->call : (char *)config->options + offset;
        return row;
    }
    return NULL;
}

static pail_status refuse_name(const struct config *config, const char *name)
{
    const struct pail_option *row;
    size_t base;
    char hint[PAIL_GUESS_CHARS], otherwise[64];
    const char *const command = config->call->command->name;
    struct pail_guess guess = {.word = name, .length = strlen(name)};
    for (size_t i = 0; (row = pail_command_row(config->call->command, i, &base)) != NULL; i++)
        if (row->name && !row->hidden)
            pail_guess_try(&guess, row->name);
    (void)snprintf(otherwise, sizeof(otherwise), "; see pail %s --help", command);
    return pail_fail(config->error, PAIL_ERR_DATA, "%s: there is no option \"%s\" of pail %s%s",
                     config->path, name, command, pail_guess_text(hint, &guess, "", otherwise));
}

/* The text of a value, as a command line would have it; NULL: it is none. */
static const char *text_of(char number[24], const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_integer(value))
        return NULL;
    (void)snprintf(number, 24, "%lld", (long long)json_integer_value(value));
    return number;
}

static pail_status store_value(const struct config *config, const struct pail_option *row,
                               void *base, const struct pail_json_place *place, const json_t *value)
{
    char number[24], where[256];
    if (row->kind == PAIL_OPTION_FLAG) {
        if (!json_is_boolean(value))
            return pail_json_refuse(place, value, "it is true or false");
        return !json_is_true(value) || pail_option_store(base, row, NULL)
                   ? PAIL_OK
                   : pail_json_refuse(place, value, "it cannot be set here");
    }
    const char *const text = text_of(number, value);
    const bool keeps = row->kind == PAIL_OPTION_TEXT || row->kind == PAIL_OPTION_CUSTOM;
    if (!text || (keeps && !json_is_string(value))) /* numbers are not kept */
        return pail_json_refuse(place, value, keeps ? "it is a text" : "it is a text or a number");
    if (pail_option_store(base, row, text))
        return PAIL_OK;
    (void)snprintf(where, sizeof(where), "\"%s\" in %s", row->name, config->path);
    (void)pail_option_refuse(config->error, row, where, text, config->call->command->name);
    config->error->status = PAIL_ERR_DATA;
    return PAIL_ERR_DATA;
}

static pail_status read_option(const struct config *config, const struct pail_json_place *top,
                               const char *name, const json_t *value)
{
    const struct pail_json_place place = pail_json_member(top, name);
    size_t number = 0;
    void *base = NULL;
    const struct pail_option *const row = find(config, name, &number, &base);
    pail_status status = PAIL_OK;
    if (!row)
        return refuse_name(config, name);
    if (row->letter == 'h' || strcmp(name, config->own) == 0)
        return pail_json_complain(&place, PAIL_ERR_DATA, "is an option of the command line alone");
    if (row->many && json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value) && status == PAIL_OK; i++) {
            const struct pail_json_place element = pail_json_element(&place, i);
            if (!config->call->given[number])
                status = store_value(config, row, base, &element, json_array_get(value, i));
        }
    } else if (!config->call->given[number]) {
        status = store_value(config, row, base, &place, value);
    }
    return status;
}

pail_status pail_config_read(json_t **root, struct pail_call *call, void *options, const char *path,
                             const char *own, struct pail_error *error)
{
    const struct config config = {
        .path = path, .own = own, .call = call, .options = options, .error = error};
    const struct pail_json_file file = {path, error};
    const struct pail_json_place top = {.file = &file};
    const char *name;
    json_t *value;
    *root = NULL;
    pail_status status = pail_json_file_read(root, path, error);
    if (status == PAIL_OK && !json_is_object(*root))
        status = pail_json_refuse(&top, *root, "it is an object of options");
    if (status == PAIL_OK) {
        json_object_foreach(*root, name, value)
        {
            if (status == PAIL_OK)
                status = read_option(&config, &top, name, value);
        }
        json_object_foreach(*root, name, value)
        {
            size_t number;
            void *base;
            const struct pail_option *const row = find(&config, name, &number, &base);
            if (row && !json_is_false(value))
                call->given[number] = true;
        }
    }
    if (status != PAIL_OK) {
        json_decref(*root);
        *root = NULL;
    }
    return status;
}
