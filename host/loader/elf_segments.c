/* Checks of the segments: the parts of a file that the dynamic linker maps, and their addresses. */
#include "elf_image.h"

#include <unistd.h>

/* The largest page size to which linkers round up the end of read-only relocations (RELRO). */
#if defined(__x86_64__) || defined(__i386__)
#define LARGEST_PAGE 4096u
#else
#define LARGEST_PAGE 65536u
#endif

#define TLS_ALIGNMENT_MAX 65536u

static bool is_power(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static bool read_segments(struct pail_elf *elf)
{
    const ElfW(Ehdr) *header = &elf->header;
    if (header->e_phentsize != sizeof elf->segments[0] || header->e_phnum == 0 ||
        header->e_phnum > PAIL_ELF_SEGMENTS_MAX) {
        return pail_elf_refuse(
            elf, "it is damaged: it says that it has %u segments, described in %u bytes each",
            header->e_phnum, header->e_phentsize);
    }
    const uint64_t bytes = header->e_phnum * sizeof elf->segments[0];
    if (header->e_phoff % sizeof(ElfW(Addr)) != 0 ||
        !pail_elf_within(header->e_phoff, bytes, sizeof *header, elf->size - sizeof *header)) {
        return pail_elf_refuse(
            elf,
            "it is cut off or damaged: the list of its segments would be at byte "
            "%llu of %llu",
            (unsigned long long)header->e_phoff, (unsigned long long)elf->size);
    }
    elf->n_segments = header->e_phnum;
    return pail_elf_read(elf, elf->segments, (size_t)bytes, header->e_phoff);
}

static bool damaged(const struct pail_elf *elf, size_t i, const char *what)
{
    return pail_elf_refuse(elf, "it is damaged: segment %zu of %zu %s", i, elf->n_segments, what);
}

/* The part of a segment that comes from the file. */
static bool check_extent(const struct pail_elf *elf, size_t i)
{
    const ElfW(Phdr) *segment = &elf->segments[i];
    if (!pail_elf_within(segment->p_offset, segment->p_filesz, 0, elf->size)) {
        return pail_elf_refuse(
            elf,
            "it is cut off or damaged: segment %zu of %zu has %llu bytes from byte %llu of %llu", i,
            elf->n_segments, (unsigned long long)segment->p_filesz,
            (unsigned long long)segment->p_offset, (unsigned long long)elf->size);
    }
    if (segment->p_type != PT_GNU_STACK && segment->p_filesz > segment->p_memsz)
        return damaged(elf, i, "is larger in the file than in memory");
    return true;
}

/* end: of the loaded segment before it, in memory. */
static bool check_loaded(const struct pail_elf *elf, size_t i, uint64_t *end)
{
    const ElfW(Phdr) *segment = &elf->segments[i];
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t align = segment->p_align > page ? segment->p_align : page;
    if (!is_power(align) || (segment->p_vaddr - segment->p_offset) % align != 0)
        return damaged(elf, i, "does not lie on a page");
    if (segment->p_memsz > UINTPTR_MAX - segment->p_vaddr || segment->p_vaddr < *end)
        return damaged(elf, i, "lies where others are, or nothing can be");
    if (!(segment->p_flags & PF_R))
        return damaged(elf, i, "cannot be read");
    *end = segment->p_vaddr + segment->p_memsz;
    return true;
}

/* Checks a header that describes a part of a loaded segment: it must give the same place as the
 * segment. The memory of TLS is elsewhere, and RELRO may end with its page. */
static bool check_part(const struct pail_elf *elf, size_t i)
{
    const ElfW(Phdr) *part = &elf->segments[i];
    const bool of_file = part->p_type == PT_TLS || part->p_type == PT_GNU_RELRO;
    const uint64_t bytes = of_file ? part->p_filesz : part->p_memsz;
    const ElfW(Phdr) *loaded = pail_elf_segment(elf, part->p_vaddr, bytes);
    if (!loaded || part->p_vaddr - loaded->p_vaddr != part->p_offset - loaded->p_offset)
        return damaged(elf, i, "is not where it says in what is loaded");
    if (part->p_type == PT_TLS && (!is_power(part->p_align) || part->p_align > TLS_ALIGNMENT_MAX))
        return damaged(elf, i, "has an alignment that none can have");
    if (part->p_type == PT_GNU_RELRO && part->p_memsz - part->p_filesz >= LARGEST_PAGE)
        return damaged(elf, i, "protects more than there is");
    return true;
}

bool pail_elf_check_segments(struct pail_elf *elf)
{
    if (!read_segments(elf))
        return false;
    uint64_t end = 0;
    bool any = false;
    for (size_t i = 0; i < elf->n_segments; ++i) {
        if (!check_extent(elf, i))
            return false;
        if (elf->segments[i].p_type == PT_LOAD) {
            any = true;
            if (!check_loaded(elf, i, &end))
                return false;
        }
    }
    if (!any)
        return pail_elf_refuse(elf, "it is damaged: it has nothing to load");
    size_t protections = 0;
    for (size_t i = 0; i < elf->n_segments; ++i) {
        const ElfW(Phdr) *segment = &elf->segments[i];
        switch (segment->p_type) {
        case PT_DYNAMIC:
            if (elf->dynamic)
                return damaged(elf, i, "is a second list for the dynamic linker");
            elf->dynamic = segment;
            break;
        case PT_TLS:
            if (elf->tls)
                return damaged(elf, i, "is a second one for variables of threads");
            elf->tls = segment;
            break;
        case PT_GNU_RELRO:
            if (++protections > 1)
                return damaged(elf, i, "is a second one to protect");
            break;
        case PT_INTERP:
        case PT_NOTE:
        case PT_PHDR:
        case PT_GNU_EH_FRAME:
        case PT_GNU_PROPERTY:
            break;
        default:
            continue; /* the dynamic linker goes by no other, or, of stacks, by its flags alone */
        }
        if (!check_part(elf, i))
            return false;
    }
    return elf->dynamic ||
           pail_elf_refuse(elf, "it is damaged: it has no list for the dynamic linker");
}
