/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <platform/text.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAIL_ELF_SEGMENTS_MAX 64

struct pail_elf {
    int file;
    uint64_t size; /* of the file */
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[PAIL_ELF_SEGMENTS_MAX];
    size_t n_segments;
    const ElfW(Phdr) * dynamic, *tls; /* among the segments; tls NULL: none */
    char *reason;
    size_t capacity;
};

/* Writes the reason; returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct pail_elf *elf,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)pail_line_list(elf->reason, elf->capacity, format, arguments);
    va_end(arguments);
    return false;
}

/* Reads bytes of the file; false, with the reason, when they are not all there. */
static bool read_bytes(const struct pail_elf *elf, void *bytes, size_t n, uint64_t offset)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got =
            pread(elf->file, (char *)bytes + done, n - done, (off_t)(offset + done));
        if (got == 0)
            return refuse(elf, "it became shorter while it was read");
        if (got < 0 && errno != EINTR)
            return refuse(elf, "it cannot be read: %s", strerror(errno));
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* True if [at, at + n) lies in [from, from + length). */
static bool is_within(uint64_t at, uint64_t n, uint64_t from, uint64_t length)
{
    return at >= from && at - from <= length && n <= length - (at - from);
}

/* The loaded segment that has all of these addresses, or NULL. */
static const ElfW(Phdr) * segment_of(const struct pail_elf *elf, uint64_t address, uint64_t n)
{
    for (size_t i = 0; i < elf->n_segments; ++i) {
        const ElfW(Phdr) *segment = &elf->segments[i];
        if (segment->p_type == PT_LOAD && is_within(address, n, segment->p_vaddr, segment->p_memsz))
            return segment;
    }
    return NULL;
}

/* ---- Segments ----
 *
 * The parts of a file that the dynamic linker maps, and their addresses. */

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
        return refuse(elf,
                      "it is damaged: it says that it has %u segments, described in %u bytes each",
                      header->e_phnum, header->e_phentsize);
    }
    const uint64_t bytes = header->e_phnum * sizeof elf->segments[0];
    if (header->e_phoff % sizeof(ElfW(Addr)) != 0 ||
        !is_within(header->e_phoff, bytes, sizeof *header, elf->size - sizeof *header)) {
        return refuse(elf,
                      "it is cut off or damaged: the list of its segments would be at byte "
                      "%llu of %llu",
                      (unsigned long long)header->e_phoff, (unsigned long long)elf->size);
    }
    elf->n_segments = header->e_phnum;
    return read_bytes(elf, elf->segments, (size_t)bytes, header->e_phoff);
}

static bool damaged(const struct pail_elf *elf, size_t i, const char *what)
{
    return refuse(elf, "it is damaged: segment %zu of %zu %s", i, elf->n_segments, what);
}

/* The part of a segment that comes from the file. */
static bool check_extent(const struct pail_elf *elf, size_t i)
{
    const ElfW(Phdr) *segment = &elf->segments[i];
    if (!is_within(segment->p_offset, segment->p_filesz, 0, elf->size)) {
        return refuse(
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
    const ElfW(Phdr) *loaded = segment_of(elf, part->p_vaddr, bytes);
    if (!loaded || part->p_vaddr - loaded->p_vaddr != part->p_offset - loaded->p_offset)
        return damaged(elf, i, "is not where it says in what is loaded");
    if (part->p_type == PT_TLS && (!is_power(part->p_align) || part->p_align > TLS_ALIGNMENT_MAX))
        return damaged(elf, i, "has an alignment that none can have");
    if (part->p_type == PT_GNU_RELRO && part->p_memsz - part->p_filesz >= LARGEST_PAGE)
        return damaged(elf, i, "protects more than there is");
    return true;
}

static bool check_segments(struct pail_elf *elf)
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
        return refuse(elf, "it is damaged: it has nothing to load");
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
    return elf->dynamic || refuse(elf, "it is damaged: it has no list for the dynamic linker");
}

/* ---- The list for the dynamic linker ----
 *
 * Where its tables are, and where the libraries it names are
 * looked for. */

enum { ENTRIES_MAX = 256, TEXT_MAX = 4096 };

struct table {
    ElfW(Sxword) address, bytes; /* tags; bytes 0: only the beginning is known */
    const char *what;
};

static const struct table tables[] = {
    {DT_STRTAB, DT_STRSZ, "names"},
    {DT_SYMTAB, 0, "symbols"},
    {DT_HASH, 0, "hashes"},
    {DT_GNU_HASH, 0, "hashes"},
    {DT_RELA, DT_RELASZ, "relocations"},
    {DT_REL, DT_RELSZ, "relocations"},
    {DT_JMPREL, DT_PLTRELSZ, "relocations of calls"},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, "functions to begin with"},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, "functions to end with"},
    {DT_VERSYM, 0, "versions"},
    {DT_VERNEED, 0, "versions"},
    {DT_VERDEF, 0, "versions"},
    {DT_PLTGOT, 0, "addresses of calls"},
};

/* The value of a tag; false when the list has none. */
static bool find(const ElfW(Dyn) * list, size_t n, ElfW(Sxword) tag, uint64_t *value)
{
    for (size_t i = 0; i < n; ++i) {
        if (list[i].d_tag == tag) {
            *value = list[i].d_un.d_val;
            return true;
        }
    }
    return false;
}

static bool check_tables(const struct pail_elf *elf, const ElfW(Dyn) * list, size_t n)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
        uint64_t address, bytes = 1;
        if (!find(list, n, tables[i].address, &address))
            continue;
        if (tables[i].bytes && !find(list, n, tables[i].bytes, &bytes))
            return refuse(elf, "it is damaged: the table of its %s has no length", tables[i].what);
        if (!segment_of(elf, address, bytes)) {
            return refuse(elf, "it is damaged: the table of its %s is not in what is loaded",
                          tables[i].what);
        }
    }
    static const ElfW(Sxword) functions[] = {DT_INIT, DT_FINI};
    for (size_t i = 0; i < 2; ++i) {
        uint64_t address;
        if (find(list, n, functions[i], &address)) {
            const ElfW(Phdr) *segment = segment_of(elf, address, 1);
            if (!segment || !(segment->p_flags & PF_X))
                return refuse(elf, "it is damaged: a function to begin or end with is no code");
        }
    }
    return true;
}

/* A text of the table of names; cut to TEXT_MAX - 1, which no path that is used exceeds. */
static bool read_name(const struct pail_elf *elf, const ElfW(Dyn) * list, size_t n, uint64_t at,
                      char name[TEXT_MAX])
{
    uint64_t address = 0, bytes = 0;
    if (!find(list, n, DT_STRTAB, &address) || !find(list, n, DT_STRSZ, &bytes) || at >= bytes)
        return refuse(elf, "it is damaged: a library it needs has no name");
    const ElfW(Phdr) *segment = segment_of(elf, address, bytes);
    const uint64_t offset = address - segment->p_vaddr + at; /* check_tables found it */
    const uint64_t left = bytes - at < TEXT_MAX - 1 ? bytes - at : TEXT_MAX - 1;
    if (!is_within(offset, left, 0, segment->p_filesz))
        return refuse(elf, "it is damaged: the table of its names is not in the file");
    name[left] = '\0';
    return read_bytes(elf, name, (size_t)left, segment->p_offset + offset);
}

/* An element that does not begin with a slash, or with the folder of the file itself, begins in the
 * working directory. */
static bool check_search_path(const struct pail_elf *elf, char *path)
{
    for (char *element = path; element;) {
        char *colon = strchr(element, ':');
        if (colon)
            *colon = '\0';
        if (element[0] != '/' && strncmp(element, "$ORIGIN", 7) != 0 &&
            strncmp(element, "${ORIGIN}", 9) != 0) {
            return refuse(elf,
                          "it would look for libraries in the working directory: its search "
                          "path has the element '%.64s'",
                          element);
        }
        element = colon ? colon + 1 : NULL;
    }
    return true;
}

static bool check_names(const struct pail_elf *elf, const ElfW(Dyn) * list, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const ElfW(Sxword) tag = list[i].d_tag;
        const bool is_path = tag == DT_RPATH || tag == DT_RUNPATH;
        const bool is_name = tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER;
        char text[TEXT_MAX];
        if (!is_path && !is_name)
            continue;
        if (!read_name(elf, list, n, list[i].d_un.d_val, text))
            return false;
        if (is_path && !check_search_path(elf, text))
            return false;
        if (is_name && text[0] != '/' && text[0] != '$' && strchr(text, '/'))
            return refuse(elf, "it would load '%.64s' from the working directory", text);
    }
    return true;
}

static bool check_dynamic(const struct pail_elf *elf)
{
    ElfW(Dyn) list[ENTRIES_MAX]; /* some 30 are in use */
    const uint64_t said = elf->dynamic->p_filesz / sizeof list[0];
    const uint64_t known = said < ENTRIES_MAX ? said : ENTRIES_MAX;
    if (!read_bytes(elf, list, (size_t)known * sizeof list[0], elf->dynamic->p_offset))
        return false;
    size_t n = 0;
    while (n < known && list[n].d_tag != DT_NULL)
        ++n;
    if (n == known)
        return refuse(elf, "it is damaged: its list for the dynamic linker has no end");
    return check_tables(elf, list, n) && check_names(elf, list, n);
}

/* ---- Sections ----
 *
 * They say once more what segments say. The dynamic linker goes by segments alone, so that one
 * that was damaged_section would be believed. A file may have no sections at all. */

enum { SECTIONS_AT_A_TIME = 16 };

static bool damaged_section(const struct pail_elf *elf, uint64_t i, const char *what)
{
    return refuse(elf, "it is damaged_section: section %llu of %u %s", (unsigned long long)i,
                  elf->header.e_shnum, what);
}

/* Variables of threads: a template in the file, and zeros that are in no loaded segment. */
static bool check_tls(const struct pail_elf *elf, const ElfW(Shdr) * section, uint64_t i)
{
    const ElfW(Phdr) *tls = elf->tls;
    return (tls && is_within(section->sh_addr, section->sh_size, tls->p_vaddr, tls->p_memsz)) ||
           damaged_section(elf, i, "has variables of threads where there can be none");
}

static bool check_loaded_section(const struct pail_elf *elf, const ElfW(Shdr) * section, uint64_t i)
{
    const bool in_file = section->sh_type != SHT_NOBITS;
    const ElfW(Phdr) *segment = segment_of(elf, section->sh_addr, section->sh_size);
    if (!segment)
        return damaged_section(elf, i, "is not loaded");
    const uint64_t at = section->sh_addr - segment->p_vaddr;
    if (in_file ? section->sh_offset - segment->p_offset != at ||
                      !is_within(at, section->sh_size, 0, segment->p_filesz)
                : at < segment->p_filesz)
        return damaged_section(elf, i, "is not where it says in what is loaded");
    if (((section->sh_flags & SHF_WRITE) && !(segment->p_flags & PF_W)) ||
        ((section->sh_flags & SHF_EXECINSTR) && !(segment->p_flags & PF_X)))
        return damaged_section(elf, i, "is loaded without the rights it needs");
    return section->sh_type != SHT_DYNAMIC || section->sh_addr == elf->dynamic->p_vaddr ||
           damaged_section(elf, i,
                           "is another list for the dynamic linker than that of the segments");
}

/* tls_end: of the last section with variables of threads, in addresses. */
static bool check_section(const struct pail_elf *elf, const ElfW(Shdr) * section, uint64_t i,
                          uint64_t *tls_end)
{
    const bool in_file = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
    if (in_file && !is_within(section->sh_offset, section->sh_size, 0, elf->size)) {
        return refuse(
            elf,
            "it is cut off or damaged_section: section %llu of %u has %llu bytes from byte %llu of "
            "%llu",
            (unsigned long long)i, elf->header.e_shnum, (unsigned long long)section->sh_size,
            (unsigned long long)section->sh_offset, (unsigned long long)elf->size);
    }
    if (!(section->sh_flags & SHF_ALLOC) || section->sh_size == 0)
        return true;
    if (section->sh_flags & SHF_TLS) {
        if (!check_tls(elf, section, i))
            return false;
        *tls_end = section->sh_addr + section->sh_size;
        if (!in_file)
            return true;
    }
    return check_loaded_section(elf, section, i);
}

static bool check_sections(const struct pail_elf *elf)
{
    const ElfW(Ehdr) *header = &elf->header;
    if (header->e_shnum == 0 && header->e_shoff == 0)
        return true;
    const uint64_t bytes = (uint64_t)header->e_shnum * sizeof(ElfW(Shdr));
    if (header->e_shnum == 0 || header->e_shentsize != sizeof(ElfW(Shdr)) ||
        !is_within(header->e_shoff, bytes, sizeof *header, elf->size - sizeof *header)) {
        return refuse(elf,
                      "it is cut off or damaged_section: the list of its %u sections "
                      "would be at byte %llu of %llu",
                      header->e_shnum, (unsigned long long)header->e_shoff,
                      (unsigned long long)elf->size);
    }
    uint64_t tls_end = 0;
    for (uint64_t i = 0; i < header->e_shnum; i += SECTIONS_AT_A_TIME) {
        ElfW(Shdr) sections[SECTIONS_AT_A_TIME];
        const uint64_t left = header->e_shnum - i;
        const uint64_t n = left < SECTIONS_AT_A_TIME ? left : SECTIONS_AT_A_TIME;
        if (!read_bytes(elf, sections, (size_t)n * sizeof sections[0],
                        header->e_shoff + i * sizeof sections[0]))
            return false;
        for (uint64_t k = 0; k < n; ++k)
            if (!check_section(elf, &sections[k], i + k, &tls_end))
                return false;
    }
    /* Linkers round its end up to the alignment; each thread would get what is beyond. */
    const ElfW(Phdr) *tls = elf->tls;
    if (tls && (tls_end < tls->p_vaddr || tls->p_memsz >= tls_end - tls->p_vaddr + tls->p_align)) {
        return refuse(elf,
                      "it is damaged_section: its variables of threads have %llu bytes, more than "
                      "there are sections of",
                      (unsigned long long)tls->p_memsz);
    }
    return true;
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
    if (!read_bytes(elf, header, (size_t)size, 0))
        return false;
    if (memcmp(header->e_ident, ELFMAG, size < SELFMAG ? (size_t)size : SELFMAG) != 0)
        return refuse(elf, "it does not begin as an ELF file does");
    if (size < sizeof *header) {
        return refuse(elf, "it is cut off: it has %llu bytes, and its header alone %zu",
                      (unsigned long long)size, sizeof *header);
    }
    const ElfW(Ehdr) *own = own_header();
    if (!own)
        return refuse(elf, "the machine this library was built for is unknown");
    if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != own->e_ident[EI_DATA] || header->e_machine != own->e_machine)
        return refuse(elf, "it was built for another machine");
    if (header->e_ident[EI_VERSION] != EV_CURRENT || header->e_version != EV_CURRENT) {
        return refuse(elf, "it is damaged: versions %u and %u of ELF in its header",
                      header->e_ident[EI_VERSION], (unsigned)header->e_version);
    }
    if (header->e_type != ET_DYN)
        return refuse(elf, "it is no shared library, but an ELF file of type %u", header->e_type);
    return true;
}

bool pail_image_check(int file, char *reason, size_t capacity)
{
    struct pail_elf elf = {.file = file, .reason = reason, .capacity = capacity};
    struct stat info;
    if (fstat(file, &info) != 0)
        return refuse(&elf, "it cannot be examined: %s", strerror(errno));
    elf.size = (uint64_t)info.st_size;
    return check_header(&elf) && check_segments(&elf) && check_dynamic(&elf) &&
           check_sections(&elf);
}
