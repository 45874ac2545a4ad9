/* The list for the dynamic linker: where its tables are, and where the libraries it names are
 * looked for. */
#include "elf_image.h"

#include <string.h>

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
        if (tables[i].bytes && !find(list, n, tables[i].bytes, &bytes)) {
            return pail_elf_refuse(elf, "it is damaged: the table of its %s has no length",
                                   tables[i].what);
        }
        if (!pail_elf_segment(elf, address, bytes)) {
            return pail_elf_refuse(
                elf, "it is damaged: the table of its %s is not in what is loaded", tables[i].what);
        }
    }
    static const ElfW(Sxword) functions[] = {DT_INIT, DT_FINI};
    for (size_t i = 0; i < 2; ++i) {
        uint64_t address;
        if (find(list, n, functions[i], &address)) {
            const ElfW(Phdr) *segment = pail_elf_segment(elf, address, 1);
            if (!segment || !(segment->p_flags & PF_X)) {
                return pail_elf_refuse(elf,
                                       "it is damaged: a function to begin or end with is no code");
            }
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
        return pail_elf_refuse(elf, "it is damaged: a library it needs has no name");
    const ElfW(Phdr) *segment = pail_elf_segment(elf, address, bytes);
    const uint64_t offset = address - segment->p_vaddr + at; /* check_tables found it */
    const uint64_t left = bytes - at < TEXT_MAX - 1 ? bytes - at : TEXT_MAX - 1;
    if (!pail_elf_within(offset, left, 0, segment->p_filesz))
        return pail_elf_refuse(elf, "it is damaged: the table of its names is not in the file");
    name[left] = '\0';
    return pail_elf_read(elf, name, (size_t)left, segment->p_offset + offset);
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
            return pail_elf_refuse(
                elf,
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
            return pail_elf_refuse(elf, "it would load '%.64s' from the working directory", text);
    }
    return true;
}

bool pail_elf_check_dynamic(const struct pail_elf *elf)
{
    ElfW(Dyn) list[ENTRIES_MAX]; /* some 30 are in use */
    const uint64_t said = elf->dynamic->p_filesz / sizeof list[0];
    const uint64_t known = said < ENTRIES_MAX ? said : ENTRIES_MAX;
    if (!pail_elf_read(elf, list, (size_t)known * sizeof list[0], elf->dynamic->p_offset))
        return false;
    size_t n = 0;
    while (n < known && list[n].d_tag != DT_NULL)
        ++n;
    if (n == known)
        return pail_elf_refuse(elf, "it is damaged: its list for the dynamic linker has no end");
    return check_tables(elf, list, n) && check_names(elf, list, n);
}
