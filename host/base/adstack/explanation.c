/* SPDX-License-Identifier: Apache-2.0 */
#include "explanation.h"

#include <stdarg.h>
#include <stdio.h>

#include <platform/text.h>

#define LAST_LINE 64u /* bytes kept for pail_ad_explanation_end */

void pail_ad_explain(struct pail_ad_explanation *explanation, const char *fmt, ...)
{
    char line[512];
    if (!explanation->text)
        return;
    va_list args;
    va_start(args, fmt);
    (void)pail_line_list(line, sizeof(line), fmt, args);
    va_end(args);
    const size_t room = explanation->capacity - explanation->used;
    const int n = room > LAST_LINE ? snprintf(explanation->text + explanation->used,
                                              room - LAST_LINE, "%s\n", line)
                                   : -1;
    if (n < 0 || (size_t)n >= room - LAST_LINE) {
        explanation->text[explanation->used] = '\0';
        explanation->left_out++;
        return;
    }
    explanation->used += (size_t)n;
}

void pail_ad_explanation_end(struct pail_ad_explanation *explanation)
{
    if (explanation->text && explanation->left_out > 0)
        (void)snprintf(explanation->text + explanation->used,
                       explanation->capacity - explanation->used, "and %u lines more\n",
                       explanation->left_out);
}
