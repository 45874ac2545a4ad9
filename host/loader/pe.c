/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of Windows (PE32+). Its linker holds the headers against the file by itself, and
 * nothing is mapped beyond its end; what is said here is said in words that a user can act on. */
#include "image.h"

#include <curves/little_endian.h>
#include <string.h>

enum {
    DOS_BYTES = 64,
    HEADER_BYTES = 24, /* the signature and the header behind it */
    OPTIONAL_BYTES = 112,
    SECTION_BYTES = 40,
    PE32_PLUS = 0x20b,
    IS_DLL = 0x2000,
};

/* Machine that this library was built for, as its own header has it. */
#if defined(__x86_64__)
enum { MACHINE = 0x8664 };
#elif defined(__aarch64__)
enum { MACHINE = 0xaa64 };
#endif

static uint32_t read_u16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

/* Every section is in the file. at: of the first. */
static bool check_sections(const struct pail_image *image, uint64_t at, uint32_t n)
{
    if (n == 0 || n > 96) /* the most that the system takes */
        return pail_image_refuse(image, "it is damaged: the number of its sections cannot be");
    for (uint32_t i = 0; i < n; i++, at += SECTION_BYTES) {
        uint8_t section[SECTION_BYTES];
        if (pail_image_is_cut(image, at + SECTION_BYTES) ||
            !pail_image_read(image, section, sizeof(section), at))
            return false;
        const uint64_t bytes = pail_read_u32(section + 16), from = pail_read_u32(section + 20);
        if (bytes > 0 && pail_image_is_cut(image, from + bytes))
            return false;
    }
    return true;
}

bool pail_image_check(int file, char *reason, size_t capacity)
{
    struct pail_image image;
    if (!pail_image_begin(&image, file, reason, capacity))
        return false;
    uint8_t dos[DOS_BYTES] = {0}, header[HEADER_BYTES + OPTIONAL_BYTES];
    const size_t begin = image.size < DOS_BYTES ? (size_t)image.size : DOS_BYTES;
    if (!pail_image_read(&image, dos, begin, 0))
        return false;
    if (dos[0] != 'M' || dos[1] != 'Z')
        return pail_image_refuse(&image, "it does not begin as a library of Windows does");
    const uint64_t at = pail_read_u32(dos + 60);
    if (pail_image_is_cut(&image, DOS_BYTES) || pail_image_is_cut(&image, at + sizeof(header)) ||
        !pail_image_read(&image, header, sizeof(header), at))
        return false;
    if (memcmp(header, "PE\0", 4) != 0)
        return pail_image_refuse(&image, "it is a program of MS-DOS, and no library of Windows");
    if (read_u16(header + 4) != MACHINE || read_u16(header + HEADER_BYTES) != PE32_PLUS)
        return pail_image_refuse(&image, "it was built for another machine");
    if (!(read_u16(header + 22) & IS_DLL))
        return pail_image_refuse(&image, "it is no shared library, but a program");
    return check_sections(&image, at + HEADER_BYTES + read_u16(header + 20), read_u16(header + 6));
}
