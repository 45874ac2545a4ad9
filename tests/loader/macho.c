/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about a library of macOS that is cut off, damaged, or would load from the working
 * directory: a file of all that is looked at, with one thing changed at a time. */
#include <loader/image.h>

#include <fcntl.h>
#include <unistd.h>

#include "support/test.h"

#if defined(__aarch64__)
enum { MACHINE = 0x0100000c, OTHER = 0x01000007 };
#else
enum { MACHINE = 0x01000007, OTHER = 0x0100000c };
#endif

/* <mach-o/loader.h> */
struct header {
    uint32_t magic, machine, kind_of_machine, kind, n_commands, command_bytes, flags, reserved;
};

struct segment {
    uint32_t command, bytes;
    char name[16];
    uint64_t address, memory, offset, length;
    uint32_t protection[2], n_sections, flags;
};

struct library {
    uint32_t command, bytes, name, timestamp, version, compatible;
    char text[40];
};

struct run_path {
    uint32_t command, bytes, path;
    char text[36];
};

struct image {
    struct header header;
    struct segment text, data;
    struct library system, weak;
    struct run_path run_path;
    char contents[256];
};

#define AT(member) offsetof(struct image, member)

static struct image sound(void)
{
    struct image image = {
        .header = {.magic = 0xfeedfacf, .machine = MACHINE, .kind = 6, .n_commands = 5},
        .text = {.command = 0x19, .bytes = sizeof(struct segment), .length = AT(contents)},
        .data = {.command = 0x19,
                 .bytes = sizeof(struct segment),
                 .offset = AT(contents),
                 .length = 256},
        .system = {.command = 0xc,
                   .bytes = sizeof(struct library),
                   .name = 24,
                   .text = "/usr/lib/libSystem.B.dylib"},
        .weak = {.command = 0x80000018,
                 .bytes = sizeof(struct library),
                 .name = 24,
                 .text = "@rpath/libx.dylib"},
        .run_path = {.command = 0x8000001c,
                     .bytes = sizeof(struct run_path),
                     .path = 12,
                     .text = "@loader_path/../lib"},
    };
    image.header.command_bytes = (uint32_t)(AT(contents) - sizeof(struct header));
    return image;
}

/* The sentence about these bytes; "": none. */
static const char *said(const void *bytes, size_t n)
{
    static char reason[256];
    FILE *const file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fflush(file), 0);
    memset(reason, 0, sizeof reason);
    const bool good = pail_image_check(fileno(file), reason, sizeof reason);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(good, reason[0] == '\0');
    return reason;
}

PAIL_TEST(whole)
{
    struct image image = sound();
    assert_string_equal(said(&image, sizeof image), "");
    image.header.kind = 8;
    assert_string_equal(said(&image, sizeof image), "");
}

#define CHANGE(member, value, words)                                                               \
    {                                                                                              \
        struct image image = sound();                                                              \
        image.member = (value);                                                                    \
        const char *const text = said(&image, sizeof image);                                       \
        if (strstr(text, words) == NULL)                                                           \
            fail_msg("%s = %s: %s", #member, #value, text);                                        \
    }

PAIL_TEST(damaged)
{
    CHANGE(header.magic, 0xfeedface, "does not begin as a library of macOS")
    CHANGE(header.machine, OTHER, "another machine")
    CHANGE(header.kind, 2, "no shared library")
    CHANGE(header.n_commands, 6, "its commands end within one")
    CHANGE(header.n_commands, UINT32_MAX, "its commands are not in it")
    CHANGE(header.command_bytes, UINT32_MAX, "its commands are not in it")
    CHANGE(text.bytes, 0, "the length of a command cannot be")
    CHANGE(text.bytes, 7, "the length of a command cannot be")
    CHANGE(text.bytes, 0x7ffffff8, "the length of a command cannot be")
    CHANGE(run_path.bytes, sizeof(struct run_path) + 8, "the length of a command cannot be")
    CHANGE(text.offset, sizeof(struct image) + 1, "a segment is not in it")
    CHANGE(text.offset, UINT64_MAX, "a segment is not in it")
    CHANGE(data.length, 257, "a segment is not in it")
    CHANGE(data.length, UINT64_MAX, "a segment is not in it")
    CHANGE(system.name, 23, "a name lies outside of its command")
    CHANGE(system.name, sizeof(struct library), "a name lies outside of its command")
    CHANGE(system.text[0], 'u', "from the working directory")
    CHANGE(weak.text[0], '.', "from the working directory")
    CHANGE(weak.text[0], '\0', "from the working directory")
    CHANGE(weak.text[1], 'x', "from the working directory")
    CHANGE(run_path.path, 11, "a name lies outside of its command")
    CHANGE(run_path.text[0], 'l', "from the working directory")
    struct image image = sound();
    memset(image.run_path.text, '@', sizeof image.run_path.text);
    assert_non_null(strstr(said(&image, sizeof image), "has no end"));
    image = sound();
    image.text.command = 0x1b; /* one that is passed over */
    image.text.offset = UINT64_MAX;
    assert_string_equal(said(&image, sizeof image), "");
}

PAIL_TEST(cut_everywhere)
{
    const struct image image = sound();
    for (size_t n = 0; n < sizeof image; n++)
        if (said(&image, n)[0] == '\0')
            fail_msg("%zu of %zu bytes are taken for a library", n, sizeof image);
}

static void put_big(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A file for two machines. */
PAIL_TEST(for_several)
{
    enum { FROM = 64, PARTS = 2 };
    struct {
        uint8_t bytes[FROM];
        struct image image;
    } file = {.image = sound()};
    put_big(file.bytes, 0xcafebabe);
    put_big(file.bytes + 4, PARTS);
    for (uint32_t i = 0; i < PARTS; i++) {
        put_big(file.bytes + 8 + 20 * i, i ? MACHINE : OTHER);
        put_big(file.bytes + 16 + 20 * i, i ? FROM : 0);
        put_big(file.bytes + 20 + 20 * i, sizeof file.image);
    }
    assert_string_equal(said(&file, sizeof file), "");
    for (size_t n = 0; n < sizeof file; n++)
        assert_string_not_equal(said(&file, n), "");
    /* Two for this machine: both are looked at. */
    put_big(file.bytes + 8, MACHINE);
    put_big(file.bytes + 16, FROM);
    assert_string_equal(said(&file, sizeof file), "");
    put_big(file.bytes + 36, 0);
    assert_non_null(strstr(said(&file, sizeof file), "does not begin as a library of macOS"));
    put_big(file.bytes + 36, FROM);
    put_big(file.bytes + 8, OTHER);
    file.image.data.length++;
    assert_non_null(strstr(said(&file, sizeof file), "a segment is not in it"));
    file.image.data.length--;
    put_big(file.bytes + 8 + 20, OTHER);
    assert_non_null(strstr(said(&file, sizeof file), "for other machines"));
    put_big(file.bytes + 8 + 20, MACHINE);
    put_big(file.bytes + 16 + 20, UINT32_MAX);
    assert_non_null(strstr(said(&file, sizeof file), "cut off"));
    put_big(file.bytes + 4, 33);
    assert_non_null(strstr(said(&file, sizeof file), "number of its parts"));
    put_big(file.bytes + 4, 0);
    assert_non_null(strstr(said(&file, sizeof file), "number of its parts"));
}
