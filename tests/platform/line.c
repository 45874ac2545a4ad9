/* SPDX-License-Identifier: Apache-2.0 */
/* Messages are one line, whatever they cite: quoting, and what is composed with it. */
#include <platform/text.h>

#include <float.h>
#include <inttypes.h>

#include "support/test.h"

static uint64_t seed = 1;

static uint32_t next_random(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33);
}

/* Bytes of one character of UTF-8 as RFC 3629 has it, by its table and not by arithmetic; 0: none.
 */
static size_t well_formed(const uint8_t *s, size_t n)
{
#define IN(i, low, high) ((i) < n && s[i] >= (low) && s[i] <= (high))
    if (IN(0, 0x00, 0x7f))
        return 1;
    if (IN(0, 0xc2, 0xdf) && IN(1, 0x80, 0xbf))
        return 2;
    if ((IN(0, 0xe0, 0xe0) && IN(1, 0xa0, 0xbf) && IN(2, 0x80, 0xbf)) ||
        (IN(0, 0xe1, 0xec) && IN(1, 0x80, 0xbf) && IN(2, 0x80, 0xbf)) ||
        (IN(0, 0xed, 0xed) && IN(1, 0x80, 0x9f) && IN(2, 0x80, 0xbf)) ||
        (IN(0, 0xee, 0xef) && IN(1, 0x80, 0xbf) && IN(2, 0x80, 0xbf)))
        return 3;
    if ((IN(0, 0xf0, 0xf0) && IN(1, 0x90, 0xbf) && IN(2, 0x80, 0xbf) && IN(3, 0x80, 0xbf)) ||
        (IN(0, 0xf1, 0xf3) && IN(1, 0x80, 0xbf) && IN(2, 0x80, 0xbf) && IN(3, 0x80, 0xbf)) ||
        (IN(0, 0xf4, 0xf4) && IN(1, 0x80, 0x8f) && IN(2, 0x80, 0xbf) && IN(3, 0x80, 0xbf)))
        return 4;
    return 0;
#undef IN
}

static const char *const never[] = {
    "\xc2\x80",     "\xc2\x85",     "\xc2\x9b",     "\xc2\x9f",
    "\xd8\x9c",     "\xe2\x80\x8b", "\xe2\x80\x8e", "\xe2\x80\x8f",
    "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae",
    "\xe2\x81\xa6", "\xe2\x81\xa9", "\xef\xbb\xbf", "\xf3\xa0\x81\x81",
};

/* Checks that hold of every message. */
static void expect_fit(const char *text, size_t n)
{
    assert_int_equal(strlen(text), n);
    for (size_t at = 0; at < n;) {
        const size_t bytes = well_formed((const uint8_t *)text + at, n - at);
        if (bytes == 0)
            fail_msg("byte %zu of \"%s\" is no UTF-8", at, text);
        if (bytes == 1 && ((uint8_t)text[at] < 0x20 || text[at] == 0x7f))
            fail_msg("byte %zu is the control character 0x%02x", at, (unsigned)text[at]);
        at += bytes;
    }
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        assert_null(strstr(text, never[i]));
}

static void expect_quoted(const char *text, size_t n, const char *expected)
{
    char out[256];
    assert_int_equal(pail_quote(out, sizeof(out), text, n), strlen(expected));
    assert_string_equal(out, expected);
}

PAIL_TEST(test_known)
{
#define QUOTED(text, expected) expect_quoted(text, sizeof(text) - 1, expected)
    QUOTED("", "");
    QUOTED("key 1.zkey", "key 1.zkey");
    QUOTED("a\nb", "a\\x0ab");
    QUOTED("\x1b[2J", "\\x1b[2J");
    QUOTED("\x7f", "\\x7f");
    QUOTED("a\0b", "a\\x00b");
    QUOTED("sch\xc3\xbcssel \xe9\x8d\xb5 \xf0\x9f\x94\x91",
           "sch\xc3\xbcssel \xe9\x8d\xb5 \xf0\x9f\x94\x91");
    QUOTED("\xc2\x9b"
           "31m",
           "\\u{9b}31m");
    QUOTED("gnp.\xe2\x80\xae"
           "exe",
           "gnp.\\u{202e}exe");
    QUOTED("\xe2\x81\xa6", "\\u{2066}");
    QUOTED("\xe2\x80\xa8", "\\u{2028}");
    QUOTED("\xf3\xa0\x81\x81", "\\u{e0041}");
    QUOTED("\xff\xfe", "\\xff\\xfe");
    QUOTED("\xc0\x8a", "\\xc0\\x8a");                   /* a newline in two bytes */
    QUOTED("\xe0\x80\x8a", "\\xe0\\x80\\x8a");          /* in three */
    QUOTED("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* a surrogate */
    QUOTED("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* beyond the last */
    QUOTED("\xe9\x8d", "\\xe9\\x8d");                   /* cut off */
    QUOTED("\\x0a", "\\x0a");
#undef QUOTED
}

/* Mostly what is near the edges: leads, continuations, what is printable, whole characters. */
static size_t make_text(char *text, size_t most)
{
    static const char *const parts[] = {"a",
                                        "Z",
                                        " ",
                                        "\\",
                                        "%s",
                                        "\n",
                                        "\x1b[",
                                        "\x7f",
                                        "\xc3\xa9",
                                        "\xe2\x80\xae",
                                        "\xf0\x9f\x94\x91",
                                        "\xc2",
                                        "\xe2\x80",
                                        "\xf0\x9f\x94",
                                        "..."};
    size_t n = 0;
    while (n + 8 < most && next_random() % 40 != 0) {
        if (next_random() % 3 == 0) {
            text[n++] = (char)(next_random() & 0xff);
            continue;
        }
        const char *const part = parts[next_random() % (sizeof(parts) / sizeof(parts[0]))];
        memcpy(text + n, part, strlen(part));
        n += strlen(part);
    }
    return n;
}

PAIL_TEST(test_properties)
{
    for (unsigned i = 0; i < 100000; i++) {
        char text[160], whole[1024], again[1024], cut[1024];
        const size_t n = make_text(text, sizeof(text));
        const size_t length = pail_quote(whole, sizeof(whole), text, n);
        assert_in_range(length, n > 0 ? 1 : 0, sizeof(whole) - 1);
        expect_fit(whole, length);
        /* Twice is once. */
        assert_int_equal(pail_quote(again, sizeof(again), whole, length), length);
        assert_string_equal(again, whole);
        /* In less room the same beginning, and nothing beyond the room. */
        const size_t room = next_random() % (length + 2);
        memset(cut, 0x55, sizeof(cut));
        assert_int_equal(pail_quote(cut, room, text, n), length);
        assert_int_equal((uint8_t)cut[room], 0x55);
        if (room == 0)
            continue;
        const size_t kept = strlen(cut);
        expect_fit(cut, kept);
        if (room > length) {
            assert_string_equal(cut, whole);
            continue;
        }
        assert_in_range(kept, room < 4 ? room - 1 : 3, room - 1);
        const size_t dots = room < 4 ? room - 1 : 3;
        assert_memory_equal(cut + kept - dots, "...", dots);
        assert_memory_equal(cut, whole, kept - dots);
        /* Little is given up for it: less than the longest character and the dots. */
        assert_true(kept + 14 > room);
    }
}

/* The C library's answer where nothing is to be quoted. */
PAIL_TEST(test_as_printf)
{
    char ours[512], theirs[512];
#define SAME(...)                                                                                  \
    do {                                                                                           \
        const size_t n = pail_line(ours, sizeof(ours), __VA_ARGS__);                               \
        assert_int_equal((int)n, snprintf(theirs, sizeof(theirs), __VA_ARGS__));                   \
        assert_string_equal(ours, theirs);                                                         \
    } while (0)
    SAME("nothing");
    SAME("100 %%, %d and %i", -5, 7);
    SAME("%u %08x %#x %lu %llu %zu %5zu|%-5zu|", 7u, 0xbeefu, 255u, 1ul, 2ull, (size_t)3, (size_t)4,
         (size_t)5);
    SAME("%" PRIu64 " %" PRId64 " %016" PRIx64 " %" PRIu32 " %04" PRIx32, UINT64_MAX, INT64_MIN,
         UINT64_C(0xabcdef), UINT32_MAX, UINT32_C(0x1f));
    SAME("%jd %ju %td", INTMAX_MIN, UINTMAX_MAX, (ptrdiff_t)-4);
    SAME("%.2f %10.3f %-10.1f| %g %e %5.0f", 1.005, 3.14159, 2.5, 1e-9, DBL_MAX, 1e6);
    SAME("%.3Lf %f", 1.5L, 123456789.123456789);
    SAME("%hhx %hu %c %5c|%-3c|", (unsigned char)0xab, (unsigned short)65535, 'x', 'y', 'z');
    SAME("%s|%10s|%-10s|%.3s|%-8.2s|%*s|%-*s|%.*s", "one", "two", "three", "fourth", "fifth", 7,
         "six", 9, "seven", 2, "eighth");
    SAME("%*.*f|%*d|%+d|% d|%05d", 8, 2, 2.718281828, -6, 42, 5, 5, 5);
    SAME("%p", (void *)ours);
#undef SAME
    assert_int_equal(pail_line(ours, sizeof(ours), "%-4s|", "\xc3\xa9"), 6); /* by characters */
    assert_string_equal(ours, "\xc3\xa9   |");
    assert_int_equal(pail_line(ours, 0, "%s", "x"), 0);
}

/* A name of any length leaves room for what is said of it. */
PAIL_TEST(test_long_names)
{
    static char name[5000];
    memset(name, 'n', sizeof(name) - 1);
    char text[512];
    size_t n = pail_line(text, sizeof(text), "%s: cannot be opened: %s", name, "No such file");
    assert_true(n < sizeof(text));
    expect_fit(text, n);
    assert_non_null(strstr(text, "nnn...: cannot be opened: No such file"));
    n = pail_line(text, sizeof(text), "%s has %zu points, but %s %zu scalars", name, (size_t)7,
                  name, (size_t)8);
    assert_non_null(strstr(text, "nnn... has 7 points, but nnn"));
    assert_non_null(strstr(text, "nnn... 8 scalars"));
    n = pail_line(text, sizeof(text), "%s%s%s%s%s%s", name, name, name, name, name, name);
    assert_int_equal(n, sizeof(text) - 1);
    assert_string_equal(text + n - 3, "...");
    for (size_t capacity = 1; capacity < 40; capacity++) {
        memset(text, 0x55, sizeof(text));
        n = pail_line(text, capacity, "\xe9\x8d\xb5\xe9\x8d\xb5 %s \xe9\x8d\xb5\xe9\x8d\xb5 %d",
                      "\xf0\x9f\x94\x91\n", 12345);
        assert_int_equal((uint8_t)text[capacity], 0x55);
        expect_fit(text, n);
    }
}

PAIL_TEST(test_random_messages)
{
    for (unsigned i = 0; i < 20000; i++) {
        char one[300], two[300], text[512];
        one[make_text(one, sizeof(one) - 1)] = '\0';
        two[make_text(two, sizeof(two) - 1)] = '\0';
        const size_t capacity = 1 + next_random() % sizeof(text);
        const size_t n = pail_line(text, capacity, "%s: %zu of %-12s (%.20s): %c", one, (size_t)i,
                                   two, one, (char)next_random());
        assert_true(n < capacity);
        expect_fit(text, n);
    }
}

PAIL_TEST(test_stream)
{
    char text[256] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(pail_print(file, "pail: %s\n", "a\nb\x1b") >= 0);
    rewind(file);
    const size_t n = fread(text, 1, sizeof(text) - 1, file);
    text[n] = '\0';
    assert_string_equal(text, "pail: a\\x0ab\\x1b\n");
    assert_int_equal(fclose(file), 0);
}
