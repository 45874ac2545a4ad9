/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a description by their names, and files of lines that set them. */
#ifndef PAIL_TOOL_SIMULATE_NUMBERS_H
#define PAIL_TOOL_SIMULATE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "error/error.h"

struct pail_number {
    const char *name;
    size_t offset; /* of the double in the description */
    double least, usual;
    const char *source; /* of the usual value; NULL: none is told */
};

struct pail_numbers {
    const char *what; /* "a scenario", for errors */
    const struct pail_number *all;
    size_t n;
    double most; /* of each number */
};

/* Sets the usual values. */
void pail_numbers_default(void *description, const struct pail_numbers *numbers);

/* The index of a name; n: there is none. */
size_t pail_numbers_find(const struct pail_numbers *numbers, const char *name);
double *pail_numbers_at(void *description, const struct pail_numbers *numbers, size_t i);

/* Reads a number of a text: finite, from least to most, and nothing else. */
bool pail_number_read(double *value, const char *text, double least, double most);

/* Sets the number called name to the word in *rest (strtok_r). Fails with `kind` and a sentence
 * that begins with the place. */
pail_status pail_numbers_set(void *description, const struct pail_numbers *numbers,
                             const char *name, char **rest, pail_status kind, const char *place,
                             struct pail_error *err);

/* Calls take for each line of a file that is neither empty nor a comment, which # begins, with the
 * file and the line as its place. Fails as take does, or with PAIL_ERR_IO. */
pail_status pail_lines_read(const char *path,
                            pail_status (*take)(void *user, char *line, const char *place,
                                                struct pail_error *err),
                            void *user, struct pail_error *err);

#endif /* PAIL_TOOL_SIMULATE_NUMBERS_H */
