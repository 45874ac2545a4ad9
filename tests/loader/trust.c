/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that somebody else could have put there. */
#include "abi/files.h"
#include <platform/trust.h>

#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "support/test.h"

/* Nobody runs as these. */
#define STRANGER       54321
#define STRANGER_GROUP 54322

#define NO_LISTS "this file system takes no access control list"

struct tree {
    char *top, *folder, *file;
    struct pail_trusted trusted;
};

static int tree_make(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    tree->top = files_temporary();
    tree->folder = files_path("%s/folder", tree->top);
    tree->file = files_path("%s/plugin.so", tree->folder);
    files_folder(tree->folder, 0755);
    files_write(tree->file, "x", 1, 0755);
    pail_trust_init(&tree->trusted, NULL);
    *state = tree;
    return 0;
}

static int tree_drop(void **state)
{
    struct tree *tree = *state;
    files_remove(tree->top);
    free(tree->file);
    free(tree->folder);
    free(tree->top);
    free(tree);
    return 0;
}

static void expect_trusted(const struct tree *tree)
{
    char reason[256] = "";
    if (!pail_trust_check(&tree->trusted, tree->file, reason, sizeof reason))
        fail_msg("not trusted: %s", reason);
}

/* The sentence names the place and the fault. */
static void expect_refused(const struct tree *tree, const char *place, const char *word)
{
    char reason[256] = "";
    assert_false(pail_trust_check(&tree->trusted, tree->file, reason, sizeof reason));
    assert_memory_equal(reason, place, strlen(place));
    assert_int_equal(reason[strlen(place)], ' ');
    if (!strstr(reason, word))
        fail_msg("'%s' does not say '%s'", reason, word);
}

PAIL_TEST_OF_WITH(own_files_are_trusted, const struct tree *tree, tree_make, tree_drop)
{
    expect_trusted(tree);
    char reason[64];
    assert_true(pail_trust_check(&tree->trusted, "/", reason, sizeof reason));
}

PAIL_TEST_OF_WITH(writable_by_everybody, const struct tree *tree, tree_make, tree_drop)
{
    chmod(tree->file, 0757);
    expect_refused(tree, tree->file, "writable by everybody (mode 0757)");
    chmod(tree->file, 0755);

    chmod(tree->folder, 0777);
    expect_refused(tree, tree->folder, "writable by everybody (mode 0777)");
    chmod(tree->folder, 01777); /* anybody may add a plugin */
    expect_refused(tree, tree->folder, "writable by everybody (mode 1777)");
    chmod(tree->folder, 0755);

    chmod(tree->top, 0777);
    expect_refused(tree, tree->top, "writable by everybody (mode 0777)");
    chmod(tree->top, 01777); /* the mode of /tmp: nobody else can rename the folder */
    expect_trusted(tree);
}

PAIL_TEST_OF_WITH(writable_by_a_group, const struct tree *tree, tree_make, tree_drop)
{
    chmod(tree->folder, 0775);
    expect_trusted(tree); /* one's own group */
    if (geteuid() != 0) {
        print_message("only root can give a folder to a foreign group: not tried\n");
        return;
    }
    assert_int_equal(chown(tree->folder, 0, STRANGER_GROUP), 0);
    expect_refused(tree, tree->folder, "writable by group 54322 (mode 0775)");
    chmod(tree->folder, 0755);
    expect_trusted(tree);
    assert_int_equal(chown(tree->file, 0, STRANGER_GROUP), 0);
    chmod(tree->file, 0775);
    expect_refused(tree, tree->file, "writable by group 54322");
}

/* An access control list: the owner has all rights, the group and the others may read, the mask
 * lets all rights through, and one user or group more (`tag` 2 or 8) has `rights`. */
static bool give(const char *path, unsigned tag, unsigned rights, uint32_t id)
{
    const uint8_t entries[] = {
        2,
        0,
        0,
        0,
        1,
        0,
        7,
        0,
        255,
        255,
        255,
        255,
        4,
        0,
        5,
        0,
        255,
        255,
        255,
        255,
        (uint8_t)tag,
        0,
        (uint8_t)rights,
        0,
        (uint8_t)id,
        (uint8_t)(id >> 8),
        (uint8_t)(id >> 16),
        (uint8_t)(id >> 24),
        16,
        0,
        7,
        0,
        255,
        255,
        255,
        255,
        32,
        0,
        5,
        0,
        255,
        255,
        255,
        255,
    };
    uint8_t bytes[sizeof entries];
    memcpy(bytes, entries, sizeof bytes);
    if (tag < 4) { /* the kernel wants them by tag */
        memcpy(bytes + 12, entries + 20, 8);
        memcpy(bytes + 20, entries + 12, 8);
    }
    return setxattr(path, "system.posix_acl_access", bytes, sizeof bytes, 0) == 0;
}

/* To mode 0755 the list is invisible but for the group's bits, which are its mask. */
PAIL_TEST_OF_WITH(writable_by_an_access_control_list, const struct tree *tree, tree_make, tree_drop)
{
    if (!give(tree->folder, 2, 7, STRANGER))
        SKIP_BECAUSE(NO_LISTS);
    expect_refused(tree, tree->folder, "writable by user 54321, who is not trusted, by its access");
    assert_true(give(tree->folder, 2, 5, STRANGER)); /* may read */
    expect_trusted(tree);
    assert_true(give(tree->folder, 2, 7, geteuid()));
    expect_trusted(tree);
    assert_true(give(tree->folder, 8, 7, STRANGER_GROUP));
    expect_refused(tree, tree->folder, "writable by group 54322, which is not trusted, by its");
    assert_true(give(tree->folder, 8, 7, getegid()));
    expect_trusted(tree);
    assert_true(give(tree->folder, 2, 7, STRANGER));
    chmod(tree->folder, 0755); /* takes the right from the mask, and so from the list */
    expect_trusted(tree);

    assert_true(give(tree->file, 2, 6, STRANGER));
    expect_refused(tree, tree->file, "writable by user 54321");
    chmod(tree->file, 0755);
    assert_true(give(tree->top, 2, 7, STRANGER));
    expect_refused(tree, tree->top, "writable by user 54321");
    chmod(tree->top, 01777); /* in a sticky folder nobody can move what others own */
    expect_trusted(tree);
}

/* A user who may replace the library by its mode is trusted, one who may by a list is not; and the
 * bits of the group are no right of the group where they are the mask of a list. */
PAIL_TEST_OF_WITH(a_list_makes_nobody_trusted, struct tree *tree, tree_make, tree_drop)
{
    char *library = files_path("%s/libpail.so", tree->folder);
    files_write(library, "x", 1, 0755);
    if (!give(library, 2, 7, STRANGER)) {
        free(library);
        SKIP_BECAUSE(NO_LISTS);
    }
    pail_trust_init(&tree->trusted, library);
    expect_trusted(tree);
    assert_true(give(tree->folder, 2, 7, STRANGER));
    expect_refused(tree, tree->folder, "writable by user 54321");
    chmod(tree->folder, 0755);
    if (geteuid() == 0) {
        assert_int_equal(chown(library, 0, STRANGER_GROUP), 0);
        assert_true(give(library, 2, 7, STRANGER));
        pail_trust_init(&tree->trusted, library);
        assert_int_equal(chown(tree->folder, 0, STRANGER_GROUP), 0);
        chmod(tree->folder, 0775);
        /* The folder's own list has gone with its mask; here the bits are the group's. */
        assert_int_equal(removexattr(tree->folder, "system.posix_acl_access"), 0);
        expect_refused(tree, tree->folder, "writable by group 54322 (mode 0775)");
    }
    free(library);
}

/* A default list gives rights to what is made in the folder, and that is judged itself. */
PAIL_TEST_OF_WITH(a_default_list_is_not_the_folders, const struct tree *tree, tree_make, tree_drop)
{
    static const uint8_t everything[] = {
        2, 0,    0,    0,   1,   0,   7,  0, 255, 255, 255, 255, 2,   0,   7,
        0, 0x31, 0xd4, 0,   0,   4,   0,  5, 0,   255, 255, 255, 255, 16,  0,
        7, 0,    255,  255, 255, 255, 32, 0, 5,   0,   255, 255, 255, 255,
    };
    if (setxattr(tree->folder, "system.posix_acl_default", everything, sizeof everything, 0) != 0)
        SKIP_BECAUSE(NO_LISTS);
    expect_trusted(tree);
    assert_int_equal(unlink(tree->file), 0);
    files_write(tree->file, "x", 1, 0775);
    expect_refused(tree, tree->file, "writable by user 54321");
}

PAIL_TEST_OF_WITH(owned_by_a_stranger, struct tree *tree, tree_make, tree_drop)
{
    if (geteuid() != 0)
        SKIP_BECAUSE("only root can give files away");
    char *const places[] = {tree->file, tree->folder, tree->top};
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(chown(places[i], STRANGER, 0), 0);
        expect_refused(tree, places[i], "belongs to user 54321");
        assert_int_equal(chown(places[i], 0, 0), 0);
    }

    /* A user who could replace the library itself cannot gain anything. */
    char *library = files_path("%s/libpail.so", tree->folder);
    files_write(library, "x", 1, 0755);
    assert_int_equal(chown(tree->folder, STRANGER, STRANGER_GROUP), 0);
    chmod(tree->folder, 0775);
    assert_int_equal(chown(tree->file, STRANGER, STRANGER_GROUP), 0);
    expect_refused(tree, tree->file, "belongs to user 54321");
    pail_trust_init(&tree->trusted, library);
    expect_trusted(tree);
    chmod(tree->folder, 0777); /* but everybody is too many */
    expect_refused(tree, tree->folder, "writable by everybody");
    free(library);
}

PAIL_TEST_OF_WITH(what_is_not_there, const struct tree *tree, tree_make, tree_drop)
{
    assert_int_equal(unlink(tree->file), 0);
    expect_refused(tree, tree->file, "No such file or directory");
}

PAIL_TEST_OF_WITH(paths_that_lead_nowhere, struct tree *tree, tree_make, tree_drop)
{
    pail_trust_init(&tree->trusted, "/nonexistent/libpail.so");
    expect_trusted(tree);
    char path[PATH_MAX + 2], reason[128];
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    pail_trust_init(&tree->trusted, path);
    expect_trusted(tree);
    assert_false(pail_trust_check(&tree->trusted, path, reason, sizeof reason));
    assert_string_equal(reason, "the path is longer than 4096 bytes");
}
