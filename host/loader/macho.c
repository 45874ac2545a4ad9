/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of macOS (Mach-O, 64 bits), alone or in a file for several machines. Its linker holds
 * segments against the file by itself; what is said here is said in words that a user can act on,
 * and libraries that would come from the working directory are refused. */
#include "image.h"

#include <curves/little_endian.h>
#include <string.h>

enum {
    HEADER_BYTES = 32,
    IS_LIBRARY = 6, /* MH_DYLIB */
    IS_BUNDLE = 8,  /* MH_BUNDLE: as CMake makes plugins */
    COMMAND_BYTES = 8,
    COMMANDS_MAX = 4096,
    SEGMENT_64 = 0x19,
    SEGMENT_BYTES = 72,
    LIBRARY_BYTES = 24,
    RUN_PATH_BYTES = 12,
    MANY_MAX = 32,
    MANY_BYTES = 20,
    TEXT_MAX = 1024,
};

static const uint32_t magic_64 = 0xfeedfacf, magic_of_many = 0xcafebabe;

/* Commands that name what is loaded besides: LC_LOAD_DYLIB and its kin, and LC_RPATH. */
static const uint32_t loads[] = {0xc, 0x80000018, 0x8000001f, 0x20, 0x80000023};
static const uint32_t run_path = 0x8000001c;

/* Machine that this library was built for, as its own header has it. */
#if defined(__x86_64__)
enum { MACHINE = 0x01000007 };
#elif defined(__aarch64__)
enum { MACHINE = 0x0100000c };
#endif

static uint32_t read_big_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The library for one machine in the file. */
struct part {
    const struct pail_image *image;
    uint64_t from, size;
};

static bool is_load(uint32_t command)
{
    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
        if (command == loads[i])
            return true;
    return false;
}

/* A path from a slash on, or from a place that the linker knows. */
static bool is_settled(const char *path)
{
    static const char *const places[] = {"@rpath", "@loader_path", "@executable_path"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const size_t n = strlen(places[i]);
        if (strncmp(path, places[i], n) == 0 && (path[n] == '/' || path[n] == '\0'))
            return true;
    }
    return path[0] == '/';
}

static bool check_text(const struct part *part, uint64_t at, const uint8_t *command, uint32_t bytes,
                       uint32_t least)
{
    char text[TEXT_MAX];
    const uint32_t offset = pail_read_u32(command + COMMAND_BYTES);
    if (offset < least || offset >= bytes)
        return pail_image_refuse(part->image, "it is damaged: a name lies outside of its command");
    const uint32_t n = bytes - offset < TEXT_MAX ? bytes - offset : TEXT_MAX;
    if (!pail_image_read(part->image, text, n, at + offset))
        return false;
    if (!memchr(text, 0, n))
        return pail_image_refuse(part->image, "it is damaged: a name in it has no end");
    return is_settled(text) ||
           pail_image_refuse(part->image, "it would load libraries from the working directory");
}

static bool check_segment(const struct part *part, const uint8_t *command, uint32_t bytes)
{
    if (bytes < SEGMENT_BYTES)
        return pail_image_refuse(part->image, "it is damaged: a segment is too short");
    const uint64_t offset = pail_read_u64(command + 40), length = pail_read_u64(command + 48);
    return (offset <= part->size && length <= part->size - offset) ||
           pail_image_refuse(part->image, "it is cut off or damaged: a segment is not in it");
}

/* n commands in `left` bytes from `at` on, in the file. */
static bool check_commands(const struct part *part, uint64_t at, uint32_t n, uint32_t left)
{
    for (uint32_t i = 0; i < n; i++) {
        uint8_t command[SEGMENT_BYTES] = {0};
        if (left < COMMAND_BYTES)
            return pail_image_refuse(part->image, "it is damaged: its commands end within one");
        if (!pail_image_read(part->image, command, left < SEGMENT_BYTES ? left : SEGMENT_BYTES, at))
            return false;
        const uint32_t what = pail_read_u32(command), bytes = pail_read_u32(command + 4);
        if (bytes < COMMAND_BYTES || bytes % 8 != 0 || bytes > left)
            return pail_image_refuse(part->image,
                                     "it is damaged: the length of a command cannot be");
        if (what == SEGMENT_64 && !check_segment(part, command, bytes))
            return false;
        if (is_load(what) && !check_text(part, at, command, bytes, LIBRARY_BYTES))
            return false;
        if (what == run_path && !check_text(part, at, command, bytes, RUN_PATH_BYTES))
            return false;
        at += bytes;
        left -= bytes;
    }
    return true;
}

static bool check_part(const struct part *part)
{
    uint8_t header[HEADER_BYTES];
    if (part->size < HEADER_BYTES)
        return pail_image_refuse(part->image, "it is cut off: its header is not all there");
    if (!pail_image_read(part->image, header, sizeof(header), part->from))
        return false;
    if (pail_read_u32(header) != magic_64)
        return pail_image_refuse(part->image, "it does not begin as a library of macOS does");
    if (pail_read_u32(header + 4) != MACHINE)
        return pail_image_refuse(part->image, "it was built for another machine");
    const uint32_t kind = pail_read_u32(header + 12);
    if (kind != IS_LIBRARY && kind != IS_BUNDLE)
        return pail_image_refuse(part->image, "it is no shared library");
    const uint32_t n = pail_read_u32(header + 16), bytes = pail_read_u32(header + 20);
    if (n > COMMANDS_MAX || bytes > part->size - HEADER_BYTES)
        return pail_image_refuse(part->image,
                                 "it is cut off or damaged: its commands are not in it");
    return check_commands(part, part->from + HEADER_BYTES, n, bytes);
}

/* Each part for this machine among several: which of them the linker takes depends on the model of
 * the processor. */
static bool check_parts(struct part *part, uint32_t n)
{
    uint8_t entry[MANY_BYTES];
    bool found = false;
    if (n == 0 || n > MANY_MAX)
        return pail_image_refuse(part->image, "it is damaged: the number of its parts cannot be");
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t at = 8 + (uint64_t)i * MANY_BYTES;
        if (pail_image_is_cut(part->image, at + MANY_BYTES) ||
            !pail_image_read(part->image, entry, sizeof(entry), at))
            return false;
        if (read_big_u32(entry) != MACHINE)
            continue;
        part->from = read_big_u32(entry + 8);
        part->size = read_big_u32(entry + 12);
        if (pail_image_is_cut(part->image, part->from + part->size) || !check_part(part))
            return false;
        found = true;
    }
    return found || pail_image_refuse(part->image, "it was built for other machines");
}

bool pail_image_check(int file, char *reason, size_t capacity)
{
    struct pail_image image;
    if (!pail_image_begin(&image, file, reason, capacity))
        return false;
    struct part part = {.image = &image, .size = image.size};
    uint8_t begin[8] = {0};
    if (!pail_image_read(&image, begin, image.size < 8 ? (size_t)image.size : 8, 0))
        return false;
    return read_big_u32(begin) == magic_of_many ? check_parts(&part, read_big_u32(begin + 4))
                                                : check_part(&part);
}
