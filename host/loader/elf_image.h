/* A shared library as its headers describe it, shared by the files that check it. */
#ifndef PAIL_LOADER_ELF_IMAGE_H
#define PAIL_LOADER_ELF_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
__attribute__((format(printf, 2, 3))) bool pail_elf_refuse(const struct pail_elf *elf,
                                                           const char *format, ...);

/* Reads bytes of the file; false, with the reason, when they are not all there. */
bool pail_elf_read(const struct pail_elf *elf, void *bytes, size_t n, uint64_t offset);

/* True if [at, at + n) lies in [from, from + length). */
bool pail_elf_within(uint64_t at, uint64_t n, uint64_t from, uint64_t length);

/* The loaded segment that has all of these addresses, or NULL. */
const ElfW(Phdr) * pail_elf_segment(const struct pail_elf *elf, uint64_t address, uint64_t n);

/* Parts of pail_image_check, in this order; each needs those before it. */
bool pail_elf_check_segments(struct pail_elf *elf);
bool pail_elf_check_dynamic(const struct pail_elf *elf);
bool pail_elf_check_sections(const struct pail_elf *elf);

#endif
