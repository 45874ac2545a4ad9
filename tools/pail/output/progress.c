/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <platform/clock.h>
#include <platform/machine.h>
#include <platform/text.h>

#include "process/process.h"

enum { BAR_CHARS = 24 };

static const double patience_ms = 1000, redraw_ms = 100;

void pail_progress_begin(struct pail_progress *progress, const char *label)
{
    *progress = (struct pail_progress){.label = label,
                                       .begin_ms = pail_now_ms(),
                                       .terminal = !pail_is_quiet() && isatty(STDERR_FILENO) != 0};
}

void pail_progress_tick(void *user, double part)
{
    struct pail_progress *const progress = user;
    if (!progress->terminal)
        return;
    const double now = pail_now_ms();
    if (now - progress->begin_ms < patience_ms || now - progress->drawn_ms < redraw_ms)
        return;
    if (progress->drawn_ms == 0)
        pail_notice_show();
    progress->drawn_ms = now;
    char line[512], bar[BAR_CHARS + 1];
    unsigned columns = pail_terminal_columns(STDERR_FILENO);
    columns = columns == 0 || columns > sizeof(line) ? sizeof(line) : columns;
    size_t used = pail_line(line, sizeof(line), "%s: %.1f s", progress->label,
                            (now - progress->begin_ms) / 1e3);
    if (part >= 0)
        used += pail_line(line + used, sizeof(line) - used, ", %.0f %%", 100 * part);
    for (int i = 0; i < BAR_CHARS; i++)
        bar[i] = (i + 0.5) / BAR_CHARS < part ? '#' : '.';
    bar[BAR_CHARS] = '\0';
    if (part >= 0 && used + sizeof(" []") + BAR_CHARS < columns)
        (void)pail_line(line + used, sizeof(line) - used, " [%s]", bar);
    /* The last column stays free: with it, some terminals begin another line. */
    (void)pail_print(stderr, "\r\033[K%.*s", (int)columns - 1, line);
    (void)fflush(stderr);
}

double pail_progress_end(struct pail_progress *progress)
{
    if (progress->drawn_ms > 0)
        (void)fputs("\r\033[K", stderr);
    progress->drawn_ms = 0;
    return pail_now_ms() - progress->begin_ms;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

void pail_table_list(FILE *out, bool *folded, const char *format, va_list arguments)
{
    char text[4096];
    const size_t length = pail_line_list(text, sizeof(text), format, arguments);
    const char *from = text, *tab = strchr(text, '\t');
    if (tab && tab != text) {
        const unsigned columns = pail_terminal_columns(fileno(out));
        *folded = columns != 0 && columns < length - 2; /* without the tab and the line's end */
    }
    for (; tab; from = tab + 1, tab = strchr(from, '\t'))
        (void)fprintf(out, "%.*s%s", (int)(tab - from), from, *folded ? "\n  " : "");
    (void)fputs(from, out);
}

void pail_table_print(FILE *out, bool *folded, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pail_table_list(out, folded, format, arguments);
    va_end(arguments);
}
