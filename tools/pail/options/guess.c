/* SPDX-License-Identifier: Apache-2.0 */
#include "guess.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 32 /* of a word or name, at most; longer ones are near nothing */ };

static int letter(char c)
{
    return tolower((unsigned char)c);
}

static bool swapped(const char *a, const char *b)
{
    return letter(a[0]) == letter(b[-1]) && letter(a[-1]) == letter(b[0]);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The optimal string alignment distance of a[0..n) and b[0..m). */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LETTERS + 1]; /* of the prefixes i-2, i-1 and i of a */
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *const row = rows[i % 3];
        const size_t *const up = rows[(i - 1) % 3], *const above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t differs = letter(a[i - 1]) != letter(b[j - 1]);
            row[j] = least(up[j - 1] + differs, least(up[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && swapped(a + i - 1, b + j - 1))
                row[j] = least(row[j], above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void pail_guess_try(struct pail_guess *guess, const char *name)
{
    const size_t n = guess->length, m = strlen(name);
    if (n > LETTERS || m > LETTERS || (n == m && memcmp(guess->word, name, n) == 0))
        return;
    const bool begins = n > 2 && n <= m && distance(guess->word, n, name, n) == 0;
    const size_t d = begins && n < m ? 1 : distance(guess->word, n, name, m);
    if (d < n && 5 * d <= 2 * (n + 1) && (!guess->best || d < guess->distance)) {
        guess->best = name;
        guess->distance = d;
    }
}

const char *pail_guess_text(char text[PAIL_GUESS_CHARS], const struct pail_guess *guess,
                            const char *prefix, const char *otherwise)
{
    if (!guess->best)
        return otherwise;
    (void)snprintf(text, PAIL_GUESS_CHARS, "; did you mean %s%s?", prefix, guess->best);
    return text;
}
