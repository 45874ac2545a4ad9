/* SPDX-License-Identifier: Apache-2.0 */
/* Access control lists byte by byte, and what is made of those who may write. */
#include <platform/trust.h>

#include <errno.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/test.h"

/* A list that is being written. */
struct bytes {
    uint8_t at[4096];
    size_t n;
};

static void little(struct bytes *bytes, uint32_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        bytes->at[bytes->n++] = (uint8_t)(value >> 8 * i);
}

static void big32(struct bytes *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes->at[bytes->n++] = (uint8_t)(value >> (24 - 8 * i));
}

static void posix_entry(struct bytes *bytes, uint32_t tag, uint32_t rights, uint32_t id)
{
    little(bytes, tag, 2);
    little(bytes, rights, 2);
    little(bytes, id, 4);
}

/* A list with the entries that every one has. mask 8: without a mask. */
static struct bytes posix_list(uint32_t group, uint32_t mask, uint32_t others)
{
    struct bytes bytes = {.n = 0};
    little(&bytes, 2, 4);
    posix_entry(&bytes, 0x01, 7, UINT32_MAX);
    posix_entry(&bytes, 0x04, group, UINT32_MAX);
    if (mask < 8)
        posix_entry(&bytes, 0x10, mask, UINT32_MAX);
    posix_entry(&bytes, 0x20, others, UINT32_MAX);
    return bytes;
}

/* One of pail_acl_read_posix and pail_acl_read_nfs4. */
typedef bool acl_reader(struct pail_writers *writers, const uint8_t *bytes, size_t n,
                        const char **why);

static struct pail_writers read_list(acl_reader *reader, const struct bytes *bytes)
{
    struct pail_writers writers = {.n = 0};
    const char *why = NULL;
    if (!reader(&writers, bytes->at, bytes->n, &why))
        fail_msg("%s", why);
    return writers;
}

static void refused(acl_reader *reader, const struct bytes *bytes, const char *word)
{
    struct pail_writers writers = {.n = 0};
    const char *why = "nothing";
    assert_false(reader(&writers, bytes->at, bytes->n, &why));
    if (!strstr(why, word))
        fail_msg("'%s' does not say '%s'", why, word);
}

static void expect_writer(const struct pail_writers *writers, size_t i, enum pail_writer_kind kind,
                          uint32_t id)
{
    assert_true(i < writers->n);
    assert_int_equal(writers->list[i].kind, kind);
    assert_int_equal(writers->list[i].id, id);
}

PAIL_TEST(posix_lists)
{
    struct bytes bytes = posix_list(5, 8, 5);
    assert_int_equal(read_list(pail_acl_read_posix, &bytes).n, 0);
    bytes = posix_list(7, 8, 2);
    struct pail_writers writers = read_list(pail_acl_read_posix, &bytes);
    assert_int_equal(writers.n, 2);
    expect_writer(&writers, 0, PAIL_WRITER_GROUP, 0);
    expect_writer(&writers, 1, PAIL_WRITER_EVERYBODY, 0);

    /* The mask holds for all between the owner and the others, wherever it stands. */
    bytes = posix_list(7, 5, 5);
    posix_entry(&bytes, 0x02, 7, 1000);
    posix_entry(&bytes, 0x08, 7, 2000);
    assert_int_equal(read_list(pail_acl_read_posix, &bytes).n, 0);
    bytes = posix_list(5, 2, 5);
    posix_entry(&bytes, 0x02, 2, 0x01020304);
    posix_entry(&bytes, 0x02, 5, 1001);
    posix_entry(&bytes, 0x08, 7, UINT32_MAX);
    writers = read_list(pail_acl_read_posix, &bytes);
    assert_int_equal(writers.n, 2);
    expect_writer(&writers, 0, PAIL_WRITER_ACL_USER, 0x01020304);
    expect_writer(&writers, 1, PAIL_WRITER_ACL_GROUP, UINT32_MAX);
}

PAIL_TEST(damaged_posix_lists)
{
    struct bytes bytes = posix_list(5, 7, 5);
    const size_t whole = bytes.n;
    for (bytes.n = 0; bytes.n < whole; bytes.n++)
        refused(pail_acl_read_posix, &bytes,
                bytes.n >= 4 && bytes.n % 8 == 4 ? "lacks an entry" : "whole number");
    bytes.at[0] = 3;
    refused(pail_acl_read_posix, &bytes, "version");
    bytes.at[0] = 2;
    /* The tag of the mask. */
    static const uint8_t unknown[] = {0x00, 0x01, 0x03, 0x04, 0x20, 0x40, 0x80, 0xff};
    for (size_t i = 0; i < sizeof(unknown); i++) {
        bytes.at[20] = unknown[i];
        refused(pail_acl_read_posix, &bytes, "unknown kind, or two");
    }
    bytes.at[20] = 0x10;
    bytes.at[21] = 0x01;
    refused(pail_acl_read_posix, &bytes, "unknown kind, or two");

    bytes = posix_list(5, 8, 5);
    posix_entry(&bytes, 0x02, 5, 1000); /* named, and no mask */
    refused(pail_acl_read_posix, &bytes, "lacks an entry");
    bytes = posix_list(5, 7, 5);
    for (uint32_t i = 0; i < PAIL_WRITERS_MAX; i++)
        posix_entry(&bytes, 0x02, 7, 1000 + i);
    assert_int_equal(read_list(pail_acl_read_posix, &bytes).n, PAIL_WRITERS_MAX);
    posix_entry(&bytes, 0x08, 7, 1);
    refused(pail_acl_read_posix, &bytes, "more than 64");
}

static void nfs4_entry(struct bytes *bytes, uint32_t type, uint32_t flags, uint32_t rights,
                       const char *who)
{
    const size_t n = strlen(who);
    big32(bytes, type);
    big32(bytes, flags);
    big32(bytes, rights);
    big32(bytes, (uint32_t)n);
    memcpy(bytes->at + bytes->n, who, n);
    bytes->n += n;
    while (bytes->n % 4)
        bytes->at[bytes->n++] = 0;
}

/* A list as servers make it of mode 0755. */
static struct bytes nfs4_list(uint32_t entries)
{
    struct bytes bytes = {.n = 0};
    big32(&bytes, 3 + entries);
    nfs4_entry(&bytes, 0, 0, 0x1601bf, "OWNER@");
    nfs4_entry(&bytes, 0, 0x40, 0x1200a9, "GROUP@");
    nfs4_entry(&bytes, 0, 0, 0x1200a9, "EVERYONE@");
    return bytes;
}

PAIL_TEST(nfs4_lists)
{
    struct bytes bytes = nfs4_list(0);
    assert_int_equal(read_list(pail_acl_read_nfs4, &bytes).n, 0);
    /* Each right by which a file can be changed or another put in its place. */
    static const uint32_t rights[] = {0x2, 0x4, 0x40, 0x10000, 0x40000, 0x80000};
    for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
        bytes = nfs4_list(3);
        nfs4_entry(&bytes, 0, 0x40, rights[i], "GROUP@");
        nfs4_entry(&bytes, 0, 0, rights[i], "EVERYONE@");
        nfs4_entry(&bytes, 0, 0, rights[i], "a\nb@example.org");
        const struct pail_writers writers = read_list(pail_acl_read_nfs4, &bytes);
        assert_int_equal(writers.n, 3);
        expect_writer(&writers, 0, PAIL_WRITER_GROUP, 0);
        expect_writer(&writers, 1, PAIL_WRITER_EVERYBODY, 0);
        expect_writer(&writers, 2, PAIL_WRITER_ACL_NAME, 0);
        assert_string_equal(writers.name, "a?b@example.org");
    }
    /* Denied, audited, inherited by what is made later; and rights that change nothing. */
    bytes = nfs4_list(5);
    nfs4_entry(&bytes, 1, 0, 0x2, "x@example.org");
    nfs4_entry(&bytes, 2, 0, 0x2, "x@example.org");
    nfs4_entry(&bytes, 3, 0, 0x2, "x@example.org");
    nfs4_entry(&bytes, 0, 0xb, 0x2, "x@example.org");
    nfs4_entry(&bytes, 0, 0, 0x1200a9, "");
    assert_int_equal(read_list(pail_acl_read_nfs4, &bytes).n, 0);

    /* The first name is kept, as much of it as fits. */
    char longest[200];
    memset(longest, 'n', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    bytes = nfs4_list(2);
    nfs4_entry(&bytes, 0, 0, 0x2, longest);
    nfs4_entry(&bytes, 0, 0, 0x2, "x@example.org");
    const struct pail_writers writers = read_list(pail_acl_read_nfs4, &bytes);
    assert_int_equal(writers.n, 2);
    assert_int_equal(strlen(writers.name), PAIL_WRITER_NAME_MAX - 1);
    assert_memory_equal(writers.name, longest, PAIL_WRITER_NAME_MAX - 1);
}

PAIL_TEST(damaged_nfs4_lists)
{
    struct bytes bytes = nfs4_list(0);
    const size_t whole = bytes.n;
    for (bytes.n = 0; bytes.n < whole; bytes.n++)
        refused(pail_acl_read_nfs4, &bytes, "ends within");
    little(&bytes, 0, 4);
    refused(pail_acl_read_nfs4, &bytes, "goes on");
    bytes.n = whole;
    memset(bytes.at + 4 + 12, 0xff, 4); /* the length of the first name */
    refused(pail_acl_read_nfs4, &bytes, "ends within");
    bytes = nfs4_list(1);
    nfs4_entry(&bytes, 4, 0, 0, "OWNER@");
    refused(pail_acl_read_nfs4, &bytes, "unknown kind");
    bytes = (struct bytes){.n = 0};
    big32(&bytes, 65);
    for (unsigned i = 0; i < 65; i++)
        nfs4_entry(&bytes, 0, 0, 2, "EVERYONE@");
    refused(pail_acl_read_nfs4, &bytes, "more than 64");
}

/* Answers of another machine's kernel: calls of a file's lists end here. */
static struct {
    const char *attribute; /* the one there is; NULL: none */
    const struct bytes *bytes;
    int error; /* instead of the bytes */
} kernel;

ssize_t fgetxattr(int file, const char *attribute, void *value, size_t size)
{
    (void)file;
    errno = ENODATA;
    if (!kernel.attribute || strcmp(kernel.attribute, attribute) != 0)
        return -1;
    errno = kernel.error ? kernel.error : ERANGE;
    if (kernel.error || kernel.bytes->n > size)
        return -1;
    memcpy(value, kernel.bytes->at, kernel.bytes->n);
    return (ssize_t)kernel.bytes->n;
}

static void unreadable(const char *sentence)
{
    struct pail_writers writers;
    char reason[160];
    assert_false(pail_writers_of_file(&writers, STDIN_FILENO, reason, sizeof(reason)));
    assert_string_equal(reason, sentence);
}

PAIL_TEST(lists_of_every_kind)
{
    struct pail_writers writers;
    char reason[160];
    struct bytes bytes = nfs4_list(1);
    nfs4_entry(&bytes, 0, 0, 2, "eve@example.org");
    kernel.attribute = "system.nfs4_acl";
    kernel.bytes = &bytes;
    assert_true(pail_writers_of_file(&writers, STDIN_FILENO, reason, sizeof(reason)));
    assert_int_equal(writers.list[writers.n - 1].kind == PAIL_WRITER_ACL_NAME ||
                         writers.list[writers.n - 2].kind == PAIL_WRITER_ACL_NAME,
                     true);
    bytes.n--;
    unreadable("has an access control list (system.nfs4_acl) that cannot be judged: it ends within "
               "an entry");
    kernel.attribute = "system.posix_acl_access";
    unreadable("has an access control list (system.posix_acl_access) that cannot be judged: it is "
               "not a whole number of entries");
    kernel.attribute = "system.richacl";
    unreadable("has an access control list (system.richacl) that cannot be judged: lists of its "
               "kind are not known here");
    kernel.error = ERANGE;
    unreadable("has an access control list (system.richacl) that cannot be read: it is longer than "
               "4096 bytes");
    kernel.error = EIO;
    unreadable("has an access control list (system.richacl) that cannot be read: Input/output "
               "error");
    kernel.error = ENOTSUP; /* a file system without lists */
    assert_true(pail_writers_of_file(&writers, STDIN_FILENO, reason, sizeof(reason)));
    kernel.attribute = NULL;
    kernel.error = 0;
}

static void expect_untrusted(const struct pail_writers *writers, const struct pail_trusted *trusted,
                             const char *sentence)
{
    char reason[160];
    assert_false(pail_writers_are_trusted(writers, trusted, false, reason, sizeof(reason)));
    assert_string_equal(reason, sentence);
}

PAIL_TEST(judged)
{
    struct pail_trusted trusted = {.n_users = 0};
    struct pail_writers writers = {.owner = 1000, .group = 2000, .mode = 0775};
    char reason[160];
    expect_untrusted(&writers, &trusted, "belongs to user 1000, who is not trusted");
    for (uid_t user = 1000; user < 1100; user++) {
        pail_trusted_add_user(&trusted, user);
        pail_trusted_add_user(&trusted, user);
        pail_trusted_add_group(&trusted, user);
        pail_trusted_add_group(&trusted, user);
    }
    assert_int_equal(trusted.n_users, PAIL_TRUSTED_MAX); /* full: it trusts fewer */
    assert_int_equal(trusted.n_groups, PAIL_TRUSTED_MAX);
    assert_true(pail_writers_are_trusted(&writers, &trusted, false, reason, sizeof(reason)));

    writers.n = 1;
    static const struct {
        struct pail_writer writer;
        const char *sentence; /* NULL: trusted */
    } cases[] = {
        {{PAIL_WRITER_GROUP, 0}, "is writable by group 2000 (mode 0775), which is not trusted"},
        {{PAIL_WRITER_EVERYBODY, 0}, "is writable by everybody (mode 0775)"},
        {{PAIL_WRITER_ACL_USER, 1063}, NULL},
        {{PAIL_WRITER_ACL_USER, 0}, NULL}, /* root may in any case */
        {{PAIL_WRITER_ACL_USER, 1064},
         "is writable by user 1064, who is not trusted, by its access control list"},
        {{PAIL_WRITER_ACL_GROUP, 1063}, NULL},
        {{PAIL_WRITER_ACL_GROUP, 0},
         "is writable by group 0, which is not trusted, by its access control list"},
        {{PAIL_WRITER_ACL_NAME, 0},
         "is writable by 'eve', who is not trusted, by its access control list"},
    };
    memcpy(writers.name, "eve", 4);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        writers.list[0] = cases[i].writer;
        writers.mode = 0775;
        if (cases[i].sentence)
            expect_untrusted(&writers, &trusted, cases[i].sentence);
        else
            assert_true(
                pail_writers_are_trusted(&writers, &trusted, false, reason, sizeof(reason)));
        writers.mode = 01775;
        assert_true(pail_writers_are_trusted(&writers, &trusted, true, reason, sizeof(reason)));
    }
    writers.group = 1001;
    writers.list[0].kind = PAIL_WRITER_GROUP;
    assert_true(pail_writers_are_trusted(&writers, &trusted, false, reason, sizeof(reason)));
}

PAIL_TEST(read_from_files)
{
    char path[] = "/tmp/pail-trust-XXXXXX", reason[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    struct pail_writers by_path, by_file;
    assert_int_equal(fchmod(file, 01622), 0);
    assert_true(pail_writers_of_path(&by_path, path, reason, sizeof(reason)));
    assert_true(pail_writers_of_file(&by_file, file, reason, sizeof(reason)));
    assert_int_equal(by_file.owner, by_path.owner);
    assert_int_equal(by_file.group, by_path.group);
    assert_int_equal(by_file.mode, by_path.mode);
    assert_int_equal(by_file.n, by_path.n);
    assert_int_equal(by_path.owner, geteuid());
    assert_int_equal(by_path.mode, 01622);
    assert_false(by_path.is_folder);
    assert_int_equal(by_path.n, 2);
    expect_writer(&by_path, 0, PAIL_WRITER_EVERYBODY, 0);
    expect_writer(&by_path, 1, PAIL_WRITER_GROUP, 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);

    assert_true(pail_writers_of_path(&by_path, "/", reason, sizeof(reason)));
    assert_true(by_path.is_folder);
    assert_false(pail_writers_of_path(&by_path, path, reason, sizeof(reason)));
    assert_string_equal(reason, "cannot be examined: No such file or directory");
    assert_false(pail_writers_of_file(&by_file, -1, reason, sizeof(reason)));
    assert_string_equal(reason, "cannot be examined: Bad file descriptor");
    assert_false(pail_writers_of_file(&by_file, -1, NULL, 0));
}
