/* Sections say once more what segments say. The dynamic linker goes by segments alone, so that one
 * that was damaged would be believed. A file may have no sections at all. */
#include "elf_image.h"

enum { SECTIONS_AT_A_TIME = 16 };

static bool damaged(const struct pail_elf *elf, uint64_t i, const char *what)
{
    return pail_elf_refuse(elf, "it is damaged: section %llu of %u %s", (unsigned long long)i,
                           elf->header.e_shnum, what);
}

/* Variables of threads: a template in the file, and zeros that are in no loaded segment. */
static bool check_tls(const struct pail_elf *elf, const ElfW(Shdr) * section, uint64_t i)
{
    const ElfW(Phdr) *tls = elf->tls;
    return (tls &&
            pail_elf_within(section->sh_addr, section->sh_size, tls->p_vaddr, tls->p_memsz)) ||
           damaged(elf, i, "has variables of threads where there can be none");
}

static bool check_loaded(const struct pail_elf *elf, const ElfW(Shdr) * section, uint64_t i)
{
    const bool in_file = section->sh_type != SHT_NOBITS;
    const ElfW(Phdr) *segment = pail_elf_segment(elf, section->sh_addr, section->sh_size);
    if (!segment)
        return damaged(elf, i, "is not loaded");
    const uint64_t at = section->sh_addr - segment->p_vaddr;
    if (in_file ? section->sh_offset - segment->p_offset != at ||
                      !pail_elf_within(at, section->sh_size, 0, segment->p_filesz)
                : at < segment->p_filesz)
        return damaged(elf, i, "is not where it says in what is loaded");
    if (((section->sh_flags & SHF_WRITE) && !(segment->p_flags & PF_W)) ||
        ((section->sh_flags & SHF_EXECINSTR) && !(segment->p_flags & PF_X)))
        return damaged(elf, i, "is loaded without the rights it needs");
    return section->sh_type != SHT_DYNAMIC || section->sh_addr == elf->dynamic->p_vaddr ||
           damaged(elf, i, "is another list for the dynamic linker than that of the segments");
}

/* tls_end: of the last section with variables of threads, in addresses. */
static bool check_section(const struct pail_elf *elf, const ElfW(Shdr) * section, uint64_t i,
                          uint64_t *tls_end)
{
    const bool in_file = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
    if (in_file && !pail_elf_within(section->sh_offset, section->sh_size, 0, elf->size)) {
        return pail_elf_refuse(
            elf,
            "it is cut off or damaged: section %llu of %u has %llu bytes from byte %llu of %llu",
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
    return check_loaded(elf, section, i);
}

bool pail_elf_check_sections(const struct pail_elf *elf)
{
    const ElfW(Ehdr) *header = &elf->header;
    if (header->e_shnum == 0 && header->e_shoff == 0)
        return true;
    const uint64_t bytes = (uint64_t)header->e_shnum * sizeof(ElfW(Shdr));
    if (header->e_shnum == 0 || header->e_shentsize != sizeof(ElfW(Shdr)) ||
        !pail_elf_within(header->e_shoff, bytes, sizeof *header, elf->size - sizeof *header)) {
        return pail_elf_refuse(
            elf,
            "it is cut off or damaged: the list of its %u sections would be at byte %llu of %llu",
            header->e_shnum, (unsigned long long)header->e_shoff, (unsigned long long)elf->size);
    }
    uint64_t tls_end = 0;
    for (uint64_t i = 0; i < header->e_shnum; i += SECTIONS_AT_A_TIME) {
        ElfW(Shdr) sections[SECTIONS_AT_A_TIME];
        const uint64_t left = header->e_shnum - i;
        const uint64_t n = left < SECTIONS_AT_A_TIME ? left : SECTIONS_AT_A_TIME;
        if (!pail_elf_read(elf, sections, (size_t)n * sizeof sections[0],
                           header->e_shoff + i * sizeof sections[0]))
            return false;
        for (uint64_t k = 0; k < n; ++k)
            if (!check_section(elf, &sections[k], i + k, &tls_end))
                return false;
    }
    /* Linkers round its end up to the alignment; each thread would get what is beyond. */
    const ElfW(Phdr) *tls = elf->tls;
    if (tls && (tls_end < tls->p_vaddr || tls->p_memsz >= tls_end - tls->p_vaddr + tls->p_align)) {
        return pail_elf_refuse(elf,
                               "it is damaged: its variables of threads have %llu bytes, more than "
                               "there are sections of",
                               (unsigned long long)tls->p_memsz);
    }
    return true;
}
