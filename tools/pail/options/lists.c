#include "lists.h"

#include <string.h>

#include "number.h"

static bool append(struct pail_list *list, uint64_t value)
{
    if (list->n == PAIL_LIST_MAX)
        return false;
    list->values[list->n++] = value;
    return true;
}

/* The number between two places, and whether it is written as a power of two; then *value is the
 * exponent. */
static bool parse_end(uint64_t *value, bool *power, const char *begin, size_t length)
{
    char text[32];
    if (length == 0 || length >= sizeof(text))
        return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    uint64_t whole;
    *power = strncmp(text, "2^", 2) == 0;
    if (!pail_number_parse(&whole, text)) /* also says whether the exponent is in range */
        return false;
    return pail_number_parse(value, *power ? text + 2 : text);
}

static bool parse_range(struct pail_list *list, const char *text, const char *dots, size_t length,
                        enum pail_range range)
{
    const char *const second = dots + 2;
    const size_t left = length - (size_t)(second - text);
    const char *step_text = NULL;
    for (size_t i = 0; i + 1 < left && step_text == NULL; i++)
        if (second[i] == '.' && second[i + 1] == '.')
            step_text = second + i;
    const size_t second_length = step_text != NULL ? (size_t)(step_text - second) : left;
    uint64_t first, last, step = 1;
    bool first_power, last_power, step_power = false;
    if (!parse_end(&first, &first_power, text, (size_t)(dots - text)) ||
        !parse_end(&last, &last_power, second, second_length) || first_power != last_power)
        return false;
    if (step_text != NULL &&
        (!parse_end(&step, &step_power, step_text + 2, left - second_length - 2) || step == 0 ||
         step_power))
        return false;
    const bool powers = first_power || range == PAIL_RANGE_LOG2;
    if (powers && (first > 63 || last > 63))
        return false;
    for (uint64_t at = first;;) {
        if (!append(list, powers ? UINT64_C(1) << at : at))
            return false;
        const uint64_t distance = at < last ? last - at : at - last;
        if (distance < step)
            return true;
        at = first < last ? at + step : at - step;
    }
}

bool pail_list_parse(struct pail_list *list, const char *text, enum pail_range range)
{
    list->n = 0;
    for (const char *part = text;;) {
        const size_t length = strcspn(part, ",");
        const char *dots = strstr(part, "..");
        if (dots != NULL && dots >= part + length)
            dots = NULL;
        uint64_t value;
        char number[32];
        if (dots != NULL) {
            if (!parse_range(list, part, dots, length, range))
                return false;
        } else {
            if (length >= sizeof(number))
                return false;
            memcpy(number, part, length);
            number[length] = '\0';
            if (!pail_number_parse(&value, number) || !append(list, value))
                return false;
        }
        if (part[length] == '\0')
            return true;
        part += length + 1;
    }
}
