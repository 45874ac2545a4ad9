/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about a shared library that is cut off, damaged, or would load from the working
 * directory: a file of all that is looked at, with one thing changed at a time. */
#include "abi/files.h"
#include <loader/image.h>

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

enum { CODE, DATA, LIST, TLS, PROTECTED, NOTE, STACK, SEGMENTS };
enum { NONE, S_NAMES, S_LIST, S_CODE, S_DATA, S_ZEROS, S_TDATA, S_TBSS, S_COMMENT, SECTIONS };
enum { E_NAMES, E_NAMES_SIZE, E_NEEDED, E_PATH, E_INIT, E_INITS, E_INITS_SIZE, ENTRIES = 40 };

struct image {
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[SEGMENTS];
    ElfW(Dyn) list[ENTRIES];
    char names[64];
    char code[64];
    char data[64];
    ElfW(Shdr) sections[SECTIONS + 16]; /* more than are read at a time */
    char end[1];
};

#define AT(member) offsetof(struct image, member)
/* Data is loaded that far behind where it is in the file. */
#define DATA_AT (0x10000 + AT(data))

static ElfW(Phdr) segment(uint32_t type, uint32_t flags, size_t at, size_t address, size_t in_file,
                          size_t in_memory)
{
    return (ElfW(Phdr)){.p_type = type,
                        .p_flags = flags,
                        .p_offset = at,
                        .p_vaddr = address,
                        .p_filesz = in_file,
                        .p_memsz = in_memory,
                        .p_align = type == PT_LOAD ? 4096 : 8};
}

static ElfW(Shdr) section(uint32_t type, uint64_t flags, size_t at, size_t address, size_t bytes)
{
    return (ElfW(Shdr)){.sh_type = type,
                        .sh_flags = (ElfW(Xword))flags,
                        .sh_offset = at,
                        .sh_addr = address,
                        .sh_size = bytes};
}

static struct image whole(void)
{
    struct image image;
    memset(&image, 0, sizeof image);
    size_t n;
    char *own = files_read("/proc/self/exe", &n); /* the same machine */
    memcpy(&image.header, own, EI_NIDENT);
    image.header.e_machine = ((const ElfW(Ehdr) *)(const void *)own)->e_machine;
    free(own);
    image.header.e_type = ET_DYN;
    image.header.e_version = EV_CURRENT;
    image.header.e_phoff = AT(segments);
    image.header.e_phentsize = sizeof image.segments[0];
    image.header.e_phnum = SEGMENTS;
    image.header.e_shoff = AT(sections);
    image.header.e_shentsize = sizeof image.sections[0];
    image.header.e_shnum = SECTIONS + 16;

    image.segments[CODE] = segment(PT_LOAD, PF_R | PF_X, 0, 0, AT(data), AT(data));
    image.segments[DATA] = segment(PT_LOAD, PF_R | PF_W, AT(data), DATA_AT, 64, 128);
    image.segments[LIST] =
        segment(PT_DYNAMIC, PF_R, AT(list), AT(list), sizeof image.list, sizeof image.list);
    image.segments[TLS] = segment(PT_TLS, PF_R, AT(data), DATA_AT, 8, 256);
    image.segments[PROTECTED] = segment(PT_GNU_RELRO, PF_R, AT(data), DATA_AT, 32, 32);
    image.segments[NOTE] = segment(PT_NOTE, PF_R, AT(names), AT(names), 8, 8);
    image.segments[STACK] = segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0);

    memcpy(image.names, "\0libc.so.6\0$ORIGIN/../lib:/usr/lib", 35);
    image.list[E_NAMES] = (ElfW(Dyn)){DT_STRTAB, {AT(names)}};
    image.list[E_NAMES_SIZE] = (ElfW(Dyn)){DT_STRSZ, {sizeof image.names}};
    image.list[E_NEEDED] = (ElfW(Dyn)){DT_NEEDED, {1}};
    image.list[E_PATH] = (ElfW(Dyn)){DT_RUNPATH, {11}};
    image.list[E_INIT] = (ElfW(Dyn)){DT_INIT, {AT(code)}};
    image.list[E_INITS] = (ElfW(Dyn)){DT_INIT_ARRAY, {DATA_AT + 8}};
    image.list[E_INITS_SIZE] = (ElfW(Dyn)){DT_INIT_ARRAYSZ, {16}};

    image.sections[S_NAMES] =
        section(SHT_STRTAB, SHF_ALLOC, AT(names), AT(names), sizeof image.names);
    image.sections[S_LIST] = section(SHT_DYNAMIC, SHF_ALLOC, AT(list), AT(list), sizeof image.list);
    image.sections[S_CODE] =
        section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, AT(code), AT(code), sizeof image.code);
    image.sections[S_DATA] =
        section(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, AT(data) + 8, DATA_AT + 8, 56);
    image.sections[S_ZEROS] =
        section(SHT_NOBITS, SHF_ALLOC | SHF_WRITE, AT(data) + 64, DATA_AT + 64, 64);
    image.sections[S_TDATA] =
        section(SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, AT(data), DATA_AT, 8);
    image.sections[S_TBSS] =
        section(SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, AT(data) + 8, DATA_AT + 8, 248);
    image.sections[S_COMMENT] = section(SHT_PROGBITS, 0, 0, 0, 16);
    return image;
}

/* The file of all cases. */
static int file = -1;

static bool check(const void *bytes, size_t n, char *reason, size_t capacity)
{
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, bytes, n, 0), n);
    reason[0] = '\0';
    return pail_image_check(file, reason, capacity);
}

static void expect_good(const struct image *image)
{
    char reason[256];
    if (!check(image, sizeof *image, reason, sizeof reason))
        fail_msg("%s", reason);
}

static void expect_refused(const struct image *image, const char *word)
{
    char reason[256];
    if (check(image, sizeof *image, reason, sizeof reason))
        fail_msg("not refused: %s", word);
    if (!strstr(reason, word))
        fail_msg("'%s' does not say '%s'", reason, word);
}

/* ---- One field at a time ---- */

struct change {
    size_t at, bytes;
    uint64_t value;
    const char *word; /* NULL: good all the same */
};

#define CHANGE(member, value, word)                                                                \
    {                                                                                              \
        AT(member), sizeof(((struct image *)0)->member), (uint64_t)(value), word                   \
    }

static void each(const struct change *changes, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        struct image image = whole();
        unsigned char bytes[8];
        for (size_t k = 0; k < sizeof bytes; ++k) { /* in this machine's order */
            const size_t shift =
                image.header.e_ident[EI_DATA] == ELFDATA2LSB ? k : changes[i].bytes - 1 - k;
            bytes[k] = (unsigned char)(k < changes[i].bytes ? changes[i].value >> 8 * shift : 0);
        }
        memcpy((char *)&image + changes[i].at, bytes, changes[i].bytes);
        if (changes[i].word)
            expect_refused(&image, changes[i].word);
        else
            expect_good(&image);
    }
}

PAIL_TEST(headers)
{
    const struct image image = whole();
    expect_good(&image);
    static const struct change changes[] = {
        CHANGE(header.e_ident[EI_MAG0], 'E', "it does not begin as an ELF file does"),
        CHANGE(header.e_ident[EI_CLASS], 9, "it was built for another machine"),
        CHANGE(header.e_ident[EI_DATA], 9, "it was built for another machine"),
        CHANGE(header.e_machine, 0xffff, "it was built for another machine"),
        CHANGE(header.e_ident[EI_VERSION], 2, "versions 2 and 1 of ELF"),
        CHANGE(header.e_version, 7, "versions 1 and 7 of ELF"),
        CHANGE(header.e_type, ET_EXEC, "an ELF file of type 2"),
        CHANGE(header.e_type, ET_REL, "an ELF file of type 1"),
        CHANGE(header.e_phnum, 0, "it says that it has 0 segments"),
        CHANGE(header.e_phnum, 65, "it says that it has 65 segments"),
        CHANGE(header.e_phnum, 0xffff, "it says that it has 65535 segments"),
        CHANGE(header.e_phentsize, 1, "described in 1 bytes each"),
        CHANGE(header.e_phoff, 0, "the list of its segments would be at byte 0"),
        CHANGE(header.e_phoff, AT(segments) + 1, "the list of its segments would be at byte"),
        CHANGE(header.e_phoff, sizeof(struct image) & ~7u, "the list of its segments would be"),
        CHANGE(header.e_phoff, UINTPTR_MAX & ~7u, "the list of its segments would be at byte"),
        CHANGE(header.e_shnum, 0, "the list of its 0 sections would be at byte"),
        CHANGE(header.e_shnum, 0xffff, "the list of its 65535 sections would be at byte"),
        CHANGE(header.e_shentsize, 1, "sections would be at byte"),
        CHANGE(header.e_shoff, 1, "sections would be at byte 1 of"),
        CHANGE(header.e_shoff, UINTPTR_MAX, "sections would be at byte"),
        CHANGE(header.e_entry, 1, NULL),
    };
    each(changes, sizeof changes / sizeof changes[0]);
}

PAIL_TEST(segments)
{
    static const struct change changes[] = {
        CHANGE(segments[CODE].p_filesz, UINTPTR_MAX, "segment 0 of 7 has"),
        CHANGE(segments[DATA].p_offset, UINTPTR_MAX, "segment 1 of 7 has"),
        CHANGE(segments[DATA].p_offset, sizeof(struct image), "segment 1 of 7 has 64 bytes from"),
        CHANGE(segments[STACK].p_offset, UINTPTR_MAX, "segment 6 of 7 has 0 bytes from"),
        CHANGE(segments[DATA].p_memsz, 63, "segment 1 of 7 is larger in the file than in memory"),
        CHANGE(segments[DATA].p_align, 4097, "segment 1 of 7 does not lie on a page"),
        CHANGE(segments[DATA].p_align, 0x20000, "segment 1 of 7 does not lie on a page"),
        CHANGE(segments[DATA].p_align, 0, NULL),
        CHANGE(segments[DATA].p_vaddr, DATA_AT + 8, "segment 1 of 7 does not lie on a page"),
        CHANGE(segments[DATA].p_memsz, UINTPTR_MAX, "segment 1 of 7 lies where others are"),
        CHANGE(segments[CODE].p_memsz, 0x20000, "segment 1 of 7 lies where others are"),
        CHANGE(segments[CODE].p_flags, PF_X, "segment 0 of 7 cannot be read"),
        CHANGE(segments[LIST].p_type, PT_NULL, "it has no list for the dynamic linker"),
        CHANGE(segments[NOTE].p_type, PT_DYNAMIC, "segment 5 of 7 is a second list"),
        CHANGE(segments[NOTE].p_type, PT_TLS, "segment 5 of 7 is a second one for variables"),
        CHANGE(segments[NOTE].p_type, PT_GNU_RELRO, "segment 5 of 7 is a second one to protect"),
        CHANGE(segments[NOTE].p_type, 0x12345, NULL),
        CHANGE(segments[NOTE].p_type, PT_GNU_PROPERTY, NULL),
        CHANGE(segments[NOTE].p_vaddr, 0x8000, "segment 5 of 7 is not where it says"),
        CHANGE(segments[NOTE].p_offset, 0, "segment 5 of 7 is not where it says"),
        CHANGE(segments[NOTE].p_memsz, 0x8000, "segment 5 of 7 is not where it says"),
        CHANGE(segments[TLS].p_vaddr, DATA_AT + 8, "segment 3 of 7 is not where it says"),
        CHANGE(segments[TLS].p_align, 0, "segment 3 of 7 has an alignment"),
        CHANGE(segments[TLS].p_align, 24, "segment 3 of 7 has an alignment"),
        CHANGE(segments[TLS].p_align, 0x20000, "segment 3 of 7 has an alignment"),
        CHANGE(segments[TLS].p_memsz, 263, NULL), /* to the alignment */
        CHANGE(segments[TLS].p_memsz, 264, "its variables of threads have 264 bytes"),
        CHANGE(segments[TLS].p_memsz, 0x7fffffff, "its variables of threads have 2147483647"),
        CHANGE(segments[PROTECTED].p_memsz, 32 + 4095, NULL), /* to the page */
        CHANGE(segments[PROTECTED].p_memsz, 32 + 65536, "segment 4 of 7 protects more"),
    };
    each(changes, sizeof changes / sizeof changes[0]);

    struct image image = whole();
    image.segments[CODE].p_type = PT_NULL;
    image.segments[DATA].p_type = PT_NULL;
    expect_refused(&image, "it has nothing to load");
}

PAIL_TEST(sections)
{
    static const struct change changes[] = {
        CHANGE(sections[S_COMMENT].sh_offset, sizeof(struct image), "section 8 of 25 has 16 bytes"),
        CHANGE(sections[S_COMMENT].sh_size, UINTPTR_MAX, "section 8 of 25 has"),
        CHANGE(sections[S_COMMENT].sh_type, SHT_NOBITS, NULL),
        CHANGE(sections[S_DATA].sh_addr, 0x8000, "section 4 of 25 is not loaded"),
        CHANGE(sections[S_DATA].sh_addr, DATA_AT + 16, "section 4 of 25 is not where it says"),
        CHANGE(sections[S_DATA].sh_size, 57, "section 4 of 25 is not where it says"),
        CHANGE(sections[S_DATA].sh_type, SHT_NOBITS, "section 4 of 25 is not where it says"),
        CHANGE(sections[S_DATA].sh_flags, SHF_ALLOC | SHF_EXECINSTR, "section 4 of 25 is loaded"),
        CHANGE(sections[S_CODE].sh_flags, SHF_ALLOC | SHF_WRITE, "section 3 of 25 is loaded"),
        CHANGE(sections[S_NAMES].sh_type, SHT_DYNAMIC, "section 1 of 25 is another list"),
        CHANGE(sections[S_TBSS].sh_size, 249, "section 7 of 25 has variables of threads"),
        CHANGE(sections[S_TDATA].sh_offset, 0, "section 6 of 25 is not where it says"),
        CHANGE(sections[S_ZEROS].sh_size, 65, "section 5 of 25 is not loaded"),
        CHANGE(segments[DATA].p_flags, PF_R, "is loaded without the rights it needs"),
        CHANGE(segments[CODE].p_flags, PF_R, "to begin or end with is no code"),
        CHANGE(segments[TLS].p_type, PT_NULL, "section 6 of 25 has variables of threads"),
        CHANGE(segments[DATA].p_filesz, 60, "is not where it says"),
        CHANGE(sections[SECTIONS + 15].sh_type, 1, NULL),
        CHANGE(sections[SECTIONS + 15].sh_size, 1 << 30, NULL), /* a section without a type */
    };
    each(changes, sizeof changes / sizeof changes[0]);

    struct image image = whole();
    image.sections[SECTIONS + 15].sh_type = SHT_PROGBITS;
    image.sections[SECTIONS + 15].sh_size = 1 << 30;
    expect_refused(&image, "section 24 of 25 has 1073741824 bytes from byte 0");
    image = whole();
    image.header.e_shoff = 0;
    image.header.e_shnum = 0;
    expect_good(&image); /* there may be none */
    image.sections[S_DATA].sh_addr = 0x8000;
    expect_good(&image);
    image.segments[TLS].p_memsz = 1 << 20; /* nothing says otherwise */
    expect_good(&image);
}

PAIL_TEST(lists)
{
    static const struct change changes[] = {
        CHANGE(list[E_NAMES].d_un, 0x8000, "the table of its names is not in what is loaded"),
        CHANGE(list[E_NAMES_SIZE].d_un, 0x8000, "the table of its names is not in what is loaded"),
        CHANGE(list[E_NAMES_SIZE].d_tag, DT_DEBUG, "the table of its names has no length"),
        CHANGE(list[E_NAMES].d_tag, DT_DEBUG, "a library it needs has no name"),
        CHANGE(list[E_NAMES].d_un, DATA_AT + 64, "the table of its names is not in the file"),
        CHANGE(list[E_NEEDED].d_un, 64, "a library it needs has no name"),
        CHANGE(list[E_NEEDED].d_un, UINTPTR_MAX, "a library it needs has no name"),
        CHANGE(list[E_INIT].d_un, DATA_AT, "to begin or end with is no code"),
        CHANGE(list[E_INIT].d_un, 0x8000, "to begin or end with is no code"),
        CHANGE(list[E_INITS].d_un, 0x8000, "functions to begin with is not in what is loaded"),
        CHANGE(list[E_INITS_SIZE].d_un, 121, "functions to begin with is not in what is loaded"),
        CHANGE(list[E_INIT].d_tag, DT_SYMTAB, NULL),
        CHANGE(segments[LIST].p_filesz, sizeof(ElfW(Dyn)) * 5, "dynamic linker has no end"),
    };
    each(changes, sizeof changes / sizeof changes[0]);

    struct image image = whole();
    for (size_t i = 0; i < ENTRIES; ++i)
        image.list[i].d_tag = image.list[i].d_tag ? image.list[i].d_tag : DT_DEBUG;
    expect_refused(&image, "its list for the dynamic linker has no end");
}

PAIL_TEST(names)
{
    static const struct {
        const char *path, *element; /* element: that is refused, or NULL */
    } paths[] = {
        {"/usr/lib", NULL},
        {"$ORIGIN", NULL},
        {"${ORIGIN}/../lib", NULL},
        {"/a:$ORIGIN/b:${ORIGIN}", NULL},
        {"", "''"},
        {":/usr/lib", "''"},
        {"/usr/lib:", "''"},
        {"/a::/b", "''"},
        {"lib", "'lib'"},
        {"$ORIGIN/lib:./x", "'./x'"},
        {".", "'.'"},
        {"$LIB/x", "'$LIB/x'"},
    };
    static const ElfW(Sxword) tags[] = {DT_RUNPATH, DT_RPATH};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            struct image image = whole();
            memset(image.names + 11, 0, sizeof image.names - 11);
            memcpy(image.names + 11, paths[i].path, strlen(paths[i].path));
            image.list[E_PATH].d_tag = tags[k];
            if (paths[i].element) {
                expect_refused(&image, "it would look for libraries in the working directory");
                expect_refused(&image, paths[i].element);
            } else {
                expect_good(&image);
            }
        }
    }
    static const ElfW(Sxword) needs[] = {DT_NEEDED, DT_AUXILIARY, DT_FILTER};
    for (size_t i = 0; i < 3; ++i) {
        struct image image = whole();
        image.list[E_NEEDED].d_tag = needs[i];
        expect_good(&image);
        memcpy(image.names + 1, "x/y.so", 7);
        expect_refused(&image, "it would load 'x/y.so' from the working directory");
        memcpy(image.names + 1, "/y.so", 6);
        expect_good(&image);
        memcpy(image.names + 1, "$ORIGIN/y", 10);
        expect_good(&image);
    }
    struct image image = whole(); /* a name that is cited ends no line */
    memcpy(image.names + 11, "a\nb", 4);
    expect_refused(&image, "has the element 'a\\x0ab'");
    image = whole(); /* without a zero at the end */
    memset(image.names + 11, '/', sizeof image.names - 11);
    expect_good(&image);
    /* An element longer than a message has room for. */
    memset(image.names + 11, 'x', sizeof image.names - 12);
    expect_refused(&image, "has the element 'xxxxxxxx");
}

PAIL_TEST(cut_off)
{
    struct image image = whole();
    char reason[256];
    for (size_t n = 0; n < AT(sections) + sizeof image.sections; ++n) {
        assert_false(check(&image, n, reason, sizeof reason));
        const bool is_text = n == 0 || reason[0];
        assert_true(is_text);
    }
    image.header.e_shoff = 0;
    image.header.e_shnum = 0;
    for (size_t n = 0; n < AT(sections); ++n)
        assert_false(check(&image, n, reason, sizeof reason));
    assert_true(check(&image, AT(sections), reason, sizeof reason));
}

/* No bytes of the file make it read where it may not; sanitizers see that. */
PAIL_TEST(any_bytes)
{
    uint64_t random = 1;
    char reason[256];
    size_t refused = 0;
    for (size_t i = 0; i < 20000; ++i) {
        struct image image = whole();
        for (size_t k = 0; k < 1 + i % 3; ++k) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            ((unsigned char *)&image)[16 + (random >> 33) % (sizeof image - 16)] =
                (unsigned char)(random >> 24);
        }
        const bool good = check(&image, sizeof image, reason, sizeof reason);
        refused += !good;
        assert_true(good || (reason[0] && !strchr(reason, '\n')));
    }
    assert_true(refused > 1000 && refused < 20000);
}

/* --wrap: the reads of the checks come here. */
static struct {
    long before; /* reads that succeed; negative: all */
    int error;   /* error of the next; 0: the file has ended, EINTR: once */
} reading = {.before = -1, .error = 0};

ssize_t __real_pread(int fd, void *bytes, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *bytes, size_t n, off_t offset)
{
    if (reading.before < 0 || reading.before-- > 0)
        return __real_pread(fd, bytes, n > 1 ? n / 2 : n, offset); /* reads may give less */
    errno = reading.error;
    return reading.error ? -1 : 0;
}

PAIL_TEST(a_file_that_fails)
{
    const struct image image = whole();
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, &image, sizeof image, 0), sizeof image);
    static const struct {
        int error;
        const char *sentence; /* NULL: none */
    } cases[] = {{0, "it became shorter while it was read"},
                 {EIO, "it cannot be read: Input/output error"},
                 {EINTR, NULL}};
    for (size_t i = 0; i < 3; ++i) {
        long n = 0;
        for (bool reached = true; reached; ++n) {
            char reason[256] = "";
            reading.before = n;
            reading.error = cases[i].error;
            const bool good = pail_image_check(file, reason, sizeof reason);
            reached = reading.before < 0;
            reading.before = -1;
            assert_int_equal(good, !reached || !cases[i].sentence);
            if (!good)
                assert_string_equal(reason, cases[i].sentence);
        }
        assert_true(n > 20);
    }
}

PAIL_TEST(no_file)
{
    char reason[256];
    assert_false(pail_image_check(-1, reason, sizeof reason));
    assert_string_equal(reason, "it cannot be examined: Bad file descriptor");
    const int folder = open("/", O_RDONLY | O_CLOEXEC);
    assert_true(folder >= 0);
    assert_false(pail_image_check(folder, reason, sizeof reason));
    assert_string_equal(reason, "it cannot be read: Is a directory");
    assert_int_equal(close(folder), 0);
}

PAIL_FIXTURE(make_file)
{
    char *folder = files_temporary();
    char *path = files_path("%s/made.so", folder);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    files_remove(folder); /* open, it stays */
    free(path);
    free(folder);
    return file < 0;
}

PAIL_FIXTURE(drop_file)
{
    return close(file);
}

PAIL_TEST_GROUP(make_file, drop_file)
