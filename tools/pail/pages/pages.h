/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of the manual and completions of the shells, made of the tables of options. */
#ifndef PAIL_TOOL_PAGES_PAGES_H
#define PAIL_TOOL_PAGES_PAGES_H

#include <stdio.h>

#include "commands.h"

/* Completions of all commands, each for its shell. */
void pail_page_bash(FILE *out);
void pail_page_zsh(FILE *out);
void pail_page_fish(FILE *out);

/* ---- For these files ------------------------------------------------------------------------ */
/* Writes the text with a backslash before each of `escaped`, and for each quote what stands for it
 * within quotes. */
void pail_page_text(FILE *out, const char *text, const char *escaped, const char *quote);

/* Writes the names of a row's values with spaces between, with "all" if it takes several. Returns
 * whether there are any. */
bool pail_page_values(FILE *out, const struct pail_option *row);

/* True for an option that takes several values with commas. */
bool pail_page_is_set(const struct pail_option *row);

/* True for an option that pages show. */
bool pail_page_shows(const struct pail_option *row);

/* Calls `visit` for each family of commands, whose names begin with the same word. */
void pail_page_families(FILE *out, void (*visit)(FILE *out, const char *family));
/* True if that word alone is a command as well, as "bench" is, beside "bench prove". */
bool pail_page_is_command(const char *family);

#endif /* PAIL_TOOL_PAGES_PAGES_H */
