#include "image.h"

#include "elf_image.h"

#include <platform/text.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pail_elf_refuse(const struct pail_elf *elf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(elf->reason, elf->capacity, format, arguments);
    va_end(arguments);
    return false;
}

bool pail_elf_read(const struct pail_elf *elf, void *bytes, size_t n, uint64_t offset)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got =
            pread(elf->file, (char *)bytes + done, n - done, (off_t)(offset + done));
        if (got == 0)
            return pail_elf_refuse(elf, "it became shorter while it was read");
        if (got < 0 && errno != EINTR)
            return pail_elf_refuse(elf, "it cannot be read: %s", strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool pail_elf_within(uint64_t at, uint64_t n, uint64_t from, uint64_t length)
{
    return at >= from && at - from <= length && n <= length - (at - from);
}

const ElfW(Phdr) * pail_elf_segment(const struct pail_elf *elf, uint64_t address, uint64_t n)
{
    for (size_t i = 0; i < elf->n_segments; ++i) {
        const ElfW(Phdr) *segment = &elf->segments[i];
        if (segment->p_type == PT_LOAD &&
            pail_elf_within(address, n, segment->p_vaddr, segment->p_memsz))
            return segment;
    }
    return NULL;
}

/* Header of the library that this code is in: it is in the first page of an image. */
static const ElfW(Ehdr) * own_header(void)
{
    static const char here;
    Dl_info info;
    return dladdr(&here, &info) ? info.dli_fbase : NULL;
}

static bool check_header(struct pail_elf *elf)
{
    ElfW(Ehdr) *header = &elf->header;
    const uint64_t size = elf->size < sizeof *header ? elf->size : sizeof *header;
    if (!pail_elf_read(elf, header, (size_t)size, 0))
        return false;
    if (memcmp(header->e_ident, ELFMAG, size < SELFMAG ? (size_t)size : SELFMAG) != 0)
        return pail_elf_refuse(elf, "it does not begin as an ELF file does");
    if (size < sizeof *header) {
        return pail_elf_refuse(elf, "it is cut off: it has %llu bytes, and its header alone %zu",
                               (unsigned long long)size, sizeof *header);
    }
    const ElfW(Ehdr) *own = own_header();
    if (!own)
        return pail_elf_refuse(elf, "the machine this library was built for is unknown");
    if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != own->e_ident[EI_DATA] || header->e_machine != own->e_machine)
        return pail_elf_refuse(elf, "it was built for another machine");
    if (header->e_ident[EI_VERSION] != EV_CURRENT || header->e_version != EV_CURRENT) {
        return pail_elf_refuse(elf, "it is damaged: versions %u and %u of ELF in its header",
                               header->e_ident[EI_VERSION], (unsigned)header->e_version);
    }
    if (header->e_type != ET_DYN) {
        return pail_elf_refuse(elf, "it is no shared library, but an ELF file of type %u",
                               header->e_type);
    }
    return true;
}

bool pail_image_check(int file, char *reason, size_t capacity)
{
    struct pail_elf elf = {.file = file, .reason = reason, .capacity = capacity};
    struct stat info;
    if (fstat(file, &info) != 0)
        return pail_elf_refuse(&elf, "it cannot be examined: %s", strerror(errno));
    elf.size = (uint64_t)info.st_size;
    return check_header(&elf) && pail_elf_check_segments(&elf) && pail_elf_check_dynamic(&elf) &&
           pail_elf_check_sections(&elf);
}
