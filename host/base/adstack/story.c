#include "story.h"

#include <stdarg.h>
#include <stdio.h>

#include <platform/text.h>

#define LAST_LINE 64u /* bytes kept for pail_ad_explanation_end */

void pail_ad_explain(struct pail_ad_explanation *story, const char *fmt, ...)
{
    char line[512];
    if (!story->text)
        return;
    va_list args;
    va_start(args, fmt);
    (void)pail_line_list(line, sizeof(line), fmt, args);
    va_end(args);
    const size_t room = story->capacity - story->used;
    const int n =
        room > LAST_LINE ? snprintf(story->text + story->used, room - LAST_LINE, "%s\n", line) : -1;
    if (n < 0 || (size_t)n >= room - LAST_LINE) {
        story->text[story->used] = '\0';
        story->left_out++;
        return;
    }
    story->used += (size_t)n;
}

void pail_ad_explanation_end(struct pail_ad_explanation *story)
{
    if (story->text && story->left_out > 0)
        (void)snprintf(story->text + story->used, story->capacity - story->used,
                       "and %u lines more\n", story->left_out);
}
