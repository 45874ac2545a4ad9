/* Which files and folders somebody else could have put there. */
#include "files.h"
#include "loader/trust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Nobody runs as these. */
#define STRANGER       54321
#define STRANGER_GROUP 54322

struct tree {
    char *top, *folder, *file;
    struct pail_trust trust;
};

static int tree_make(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    tree->top = files_temporary();
    tree->folder = files_path("%s/folder", tree->top);
    tree->file = files_path("%s/plugin.so", tree->folder);
    files_folder(tree->folder, 0755);
    files_write(tree->file, "x", 1, 0755);
    pail_trust_init(&tree->trust, NULL);
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
    if (!pail_trust_check(&tree->trust, tree->file, reason, sizeof reason)) {
        fail_msg("not trusted: %s", reason);
    }
}

/* The sentence names the place and the fault. */
static void expect_refused(const struct tree *tree, const char *place, const char *word)
{
    char reason[256] = "";
    assert_false(pail_trust_check(&tree->trust, tree->file, reason, sizeof reason));
    assert_memory_equal(reason, place, strlen(place));
    assert_int_equal(reason[strlen(place)], ' ');
    if (!strstr(reason, word)) {
        fail_msg("'%s' does not say '%s'", reason, word);
    }
}

static void own_files_are_trusted(void **state)
{
    const struct tree *tree = *state;
    expect_trusted(tree);
    char reason[64];
    assert_true(pail_trust_check(&tree->trust, "/", reason, sizeof reason));
}

static void writable_by_everybody(void **state)
{
    const struct tree *tree = *state;
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
    chmod(tree->top, 01777); /* as /tmp: nobody else can rename the folder */
    expect_trusted(tree);
}

static void writable_by_a_group(void **state)
{
    const struct tree *tree = *state;
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

static void owned_by_a_stranger(void **state)
{
    struct tree *tree = *state;
    if (geteuid() != 0) {
        print_message("only root can give files away: not tried\n");
        skip();
    }
    char *const places[] = {tree->file, tree->folder, tree->top};
    for (size_t i = 0; i < 3; ++i) {
        assert_int_equal(chown(places[i], STRANGER, 0), 0);
        expect_refused(tree, places[i], "belongs to user 54321");
        assert_int_equal(chown(places[i], 0, 0), 0);
    }

    /* Whoever could replace the library itself cannot gain anything. */
    char *library = files_path("%s/libpail.so", tree->folder);
    files_write(library, "x", 1, 0755);
    assert_int_equal(chown(tree->folder, STRANGER, STRANGER_GROUP), 0);
    chmod(tree->folder, 0775);
    assert_int_equal(chown(tree->file, STRANGER, STRANGER_GROUP), 0);
    expect_refused(tree, tree->file, "belongs to user 54321");
    pail_trust_init(&tree->trust, library);
    expect_trusted(tree);
    chmod(tree->folder, 0777); /* but everybody is too many */
    expect_refused(tree, tree->folder, "writable by everybody");
    free(library);
}

static void what_is_not_there(void **state)
{
    const struct tree *tree = *state;
    assert_int_equal(unlink(tree->file), 0);
    expect_refused(tree, tree->file, "No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(own_files_are_trusted, tree_make, tree_drop),
        cmocka_unit_test_setup_teardown(writable_by_everybody, tree_make, tree_drop),
        cmocka_unit_test_setup_teardown(writable_by_a_group, tree_make, tree_drop),
        cmocka_unit_test_setup_teardown(owned_by_a_stranger, tree_make, tree_drop),
        cmocka_unit_test_setup_teardown(what_is_not_there, tree_make, tree_drop),
    };
    return cmocka_run_group_tests_name("unit/loader_trust", tests, NULL, NULL);
}
