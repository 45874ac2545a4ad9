/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512 };

void pail_numbers_default(void *description, const struct pail_numbers *numbers)
{
    for (size_t i = 0; i < numbers->n; i++)
        *pail_numbers_at(description, numbers, i) = numbers->all[i].usual;
}

size_t pail_numbers_find(const struct pail_numbers *numbers, const char *name)
{
    size_t i = 0;
    while (i < numbers->n && strcmp(numbers->all[i].name, name) != 0)
        i++;
    return i;
}

double *pail_numbers_at(void *description, const struct pail_numbers *numbers, size_t i)
{
    return (double *)((char *)description + numbers->all[i].offset);
}

bool pail_number_read(double *value, const char *text, double least, double most)
{
    char *end = NULL;
    if (!text)
        return false;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && *value >= least && *value <= most;
}

pail_status pail_numbers_set(void *description, const struct pail_numbers *numbers,
                             const char *name, char **rest, pail_status kind, const char *place,
                             struct pail_error *err)
{
    const size_t i = pail_numbers_find(numbers, name);
    double value;
    if (i == numbers->n)
        return pail_fail(err, kind, "%s: %s has no \"%.40s\"", place, numbers->what, name);
    const char *const text = strtok_r(NULL, " \t\r", rest);
    if (!pail_number_read(&value, text, numbers->all[i].least, numbers->most))
        return pail_fail(err, kind, "%s: %s is no number from %g to %g: \"%.40s\"", place, name,
                         numbers->all[i].least, numbers->most, text ? text : "");
    if (strtok_r(NULL, " \t\r", rest))
        return pail_fail(err, kind, "%s: there is more than a name and a number", place);
    *pail_numbers_at(description, numbers, i) = value;
    return PAIL_OK;
}

pail_status pail_lines_read(const char *path,
                            pail_status (*take)(void *user, char *line, const char *place,
                                                struct pail_error *err),
                            void *user, struct pail_error *err)
{
    char line[LINE_BYTES], place[LINE_BYTES];
    FILE *const file = fopen(path, "re");
    if (!file)
        return pail_fail(err, PAIL_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    pail_status status = PAIL_OK;
    for (unsigned at = 1; status == PAIL_OK && fgets(line, sizeof(line), file); at++) {
        (void)snprintf(place, sizeof(place), "%.480s:%u", path, at);
        line[strcspn(line, "#\n")] = '\0';
        if (line[strspn(line, " \t\r")] != '\0')
            status = take(user, line, place, err);
    }
    if (status == PAIL_OK && ferror(file))
        status = pail_fail(err, PAIL_ERR_IO, "%s: cannot be read", path);
    (void)fclose(file);
    return status;
}
