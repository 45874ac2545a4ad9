/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a search path leads to, in their order, and the sentences about the rest. */
#include "abi/files.h"
#include <loader/search.h>

#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

struct tree {
    char *top, *a, *b;
    struct pail_candidates found;
};

static int tree_make(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    tree->top = files_temporary();
    tree->a = files_path("%s/a", tree->top);
    tree->b = files_path("%s/b", tree->top);
    files_folder(tree->a, 0755);
    files_folder(tree->b, 0755);
    unsetenv("PAIL_BACKEND_PATH");
    *state = tree;
    return 0;
}

static int tree_drop(void **state)
{
    struct tree *tree = *state;
    assert_int_equal(chdir("/"), 0);
    pail_candidates_fini(&tree->found);
    files_remove(tree->top);
    free(tree->top);
    free(tree->a);
    free(tree->b);
    free(tree);
    return 0;
}

static void put(const char *folder, const char *name)
{
    char *path = files_path("%s/%s", folder, name);
    files_write(path, name, strlen(name), 0755);
    free(path);
}

static void search(struct tree *tree, const char *path)
{
    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search(&tree->found, path, true), PAIL_OK);
}

static void expect_n(const struct tree *tree, size_t n)
{
    if (tree->found.n != n) {
        for (size_t i = 0; i < tree->found.n; ++i) {
            const struct pail_candidate *item = &tree->found.items[i];
            print_message("%s: %s\n", item->path, item->reason ? item->reason : "ok");
        }
    }
    assert_int_equal(tree->found.n, n);
}

static void expect_file(const struct tree *tree, size_t i, const char *folder, const char *name)
{
    assert_true(i < tree->found.n);
    char *path = files_path("%s/%s", folder, name);
    assert_string_equal(tree->found.items[i].path, path);
    assert_int_equal(tree->found.items[i].status, PAIL_OK);
    assert_null(tree->found.items[i].reason);
    free(path);
}

static void expect_refused(const struct tree *tree, size_t i, const char *path, pail_status status,
                           const char *word)
{
    assert_true(i < tree->found.n);
    const struct pail_candidate *item = &tree->found.items[i];
    assert_string_equal(item->path, path);
    assert_int_equal(item->status, status);
    if (!strstr(item->reason, word))
        fail_msg("'%s' does not say '%s'", item->reason, word);
}

PAIL_TEST_OF_WITH(folders_in_order_names_in_byte_order, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-b.so");
    put(tree->a, "libpail-Z.so");
    put(tree->a, "libpail-a.so");
    put(tree->a, "libpail-a.so.1");
    put(tree->a, "libpail-.so");
    put(tree->a, "libpail.so");
    put(tree->a, "xlibpail-a.so");
    put(tree->b, "libpail-0.so");
    put(tree->b, "odd name");
    char *path = files_path("%s:%s/odd name:%s", tree->a, tree->b, tree->b);
    search(tree, path);
    expect_n(tree, 5);
    expect_file(tree, 0, tree->a, "libpail-Z.so");
    expect_file(tree, 1, tree->a, "libpail-a.so");
    expect_file(tree, 2, tree->a, "libpail-b.so");
    expect_file(tree, 3, tree->b, "odd name"); /* a file that is named may have any name */
    expect_file(tree, 4, tree->b, "libpail-0.so");
    free(path);
}

PAIL_TEST_OF_WITH(the_variable_counts_when_no_path_is_given, struct tree *tree, tree_make,
                  tree_drop)
{
    put(tree->a, "libpail-a.so");
    put(tree->b, "libpail-b.so");
    search(tree, NULL);
    expect_n(tree, 0);
    setenv("PAIL_BACKEND_PATH", tree->a, 1);
    search(tree, NULL);
    expect_n(tree, 1);
    expect_file(tree, 0, tree->a, "libpail-a.so");
    search(tree, tree->b);
    expect_n(tree, 1);
    expect_file(tree, 0, tree->b, "libpail-b.so");
    search(tree, ""); /* no elements, and not the variable's */
    expect_n(tree, 0);
    unsetenv("PAIL_BACKEND_PATH");
}

PAIL_TEST_OF_WITH(one_file_is_found_once, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-a.so");
    char *file = files_path("%s/libpail-a.so", tree->a);
    char *hard = files_path("%s/libpail-hard.so", tree->b);
    char *soft = files_path("%s/libpail-soft.so", tree->b);
    char *link_to_a = files_path("%s/link", tree->top);
    assert_int_equal(link(file, hard), 0);
    assert_int_equal(symlink(file, soft), 0);
    assert_int_equal(symlink(tree->a, link_to_a), 0);
    char *path = files_path("%s:%s:%s/../a/.:%s:%s", tree->a, tree->a, tree->b, link_to_a, tree->b);
    search(tree, path);
    expect_n(tree, 1);
    expect_file(tree, 0, tree->a, "libpail-a.so");
    free(path);
    free(link_to_a);
    free(soft);
    free(hard);
    free(file);
}

PAIL_TEST_OF_WITH(relative_and_empty_elements, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-a.so");
    assert_int_equal(chdir(tree->top), 0);
    search(tree, "a:./a/libpail-a.so");
    expect_n(tree, 2);
    expect_refused(tree, 0, "a", PAIL_ERR_ARGUMENT, "element 1 of the search path, 'a', does not");
    expect_refused(tree, 1, "./a/libpail-a.so", PAIL_ERR_ARGUMENT, "element 2");
    assert_int_equal(chdir(tree->a), 0);
    const char *const paths[] = {":", ".", "/:", ":/"};
    for (size_t i = 0; i < 4; ++i) {
        search(tree, paths[i]);
        for (size_t k = 0; k < tree->found.n; ++k)
            assert_int_not_equal(tree->found.items[k].status, PAIL_OK);
    }
    search(tree, "::"); /* told once */
    expect_n(tree, 1);
    expect_refused(tree, 0, "", PAIL_ERR_ARGUMENT, "empty, which would mean the working directory");
}

PAIL_TEST_OF_WITH(the_working_directory, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-a.so");
    char *file = files_path("%s/libpail-a.so", tree->a);
    char *around = files_path("%s/../a", tree->b);
    char *link_to_a = files_path("%s/link", tree->top);
    char *link_to_file = files_path("%s/libpail-link.so", tree->b);
    assert_int_equal(symlink(tree->a, link_to_a), 0);
    assert_int_equal(symlink(file, link_to_file), 0);
    assert_int_equal(chdir(tree->a), 0);

    const char *const folders[] = {tree->a, around, link_to_a};
    for (size_t i = 0; i < 3; ++i) {
        search(tree, folders[i]);
        expect_n(tree, 1);
        expect_refused(tree, 0, tree->a, PAIL_ERR_ARGUMENT, "working directory");
    }
    const char *const files[] = {file, link_to_file, tree->b};
    for (size_t i = 0; i < 3; ++i) {
        search(tree, files[i]);
        expect_n(tree, 1);
        expect_refused(tree, 0, file, PAIL_ERR_ARGUMENT, "working directory");
    }
    assert_int_equal(chdir(tree->b), 0);
    search(tree, tree->a);
    expect_n(tree, 1);
    expect_file(tree, 0, tree->a, "libpail-a.so");

    free(link_to_file);
    free(link_to_a);
    free(around);
    free(file);
}

PAIL_TEST_OF_WITH(places_open_to_others, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-a.so");
    put(tree->a, "libpail-b.so");
    char *file = files_path("%s/libpail-a.so", tree->a);
    assert_int_equal(chmod(file, 0777), 0);
    search(tree, tree->a);
    expect_n(tree, 2);
    expect_refused(tree, 0, file, PAIL_ERR_ARGUMENT, "writable by everybody (mode 0777)");
    expect_file(tree, 1, tree->a, "libpail-b.so");

    assert_int_equal(chmod(tree->a, 01777), 0);
    search(tree, tree->a);
    expect_n(tree, 1);
    expect_refused(tree, 0, tree->a, PAIL_ERR_ARGUMENT, "writable by everybody (mode 1777)");
    char *other = files_path("%s/libpail-b.so", tree->a);
    search(tree, other);
    expect_n(tree, 1);
    expect_refused(tree, 0, other, PAIL_ERR_ARGUMENT, "writable by everybody (mode 1777)");

    /* A link in a safe folder does not make an open one safe. */
    char *link_to_other = files_path("%s/libpail-link.so", tree->b);
    assert_int_equal(symlink(other, link_to_other), 0);
    search(tree, tree->b);
    expect_n(tree, 1);
    expect_refused(tree, 0, other, PAIL_ERR_ARGUMENT, "writable by everybody");
    free(link_to_other);
    free(other);
    free(file);
}

PAIL_TEST_OF_WITH(what_is_no_plugin_file, struct tree *tree, tree_make, tree_drop)
{
    char *none = files_path("%s/none", tree->top);
    char *fifo = files_path("%s/libpail-fifo.so", tree->a);
    char *folder = files_path("%s/libpail-folder.so", tree->a);
    char *dangling = files_path("%s/libpail-dangling.so", tree->a);
    assert_int_equal(mkfifo(fifo, 0700), 0);
    files_folder(folder, 0755);
    assert_int_equal(symlink(none, dangling), 0);
    search(tree, tree->a);
    expect_n(tree, 3);
    expect_refused(tree, 0, dangling, PAIL_ERR_IO, "No such file or directory");
    expect_refused(tree, 1, fifo, PAIL_ERR_ARGUMENT, "not a regular file");
    expect_refused(tree, 2, folder, PAIL_ERR_ARGUMENT, "not a regular file");

    char *path = files_path("%s:%s:/dev/null", none, tree->b);
    search(tree, path);
    expect_n(tree, 3);
    expect_refused(tree, 0, none, PAIL_ERR_IO, "No such file or directory");
    expect_refused(tree, 1, tree->b, PAIL_ERR_ARGUMENT, "holds no file named libpail-*.so");
    expect_refused(tree, 2, "/dev/null", PAIL_ERR_ARGUMENT, "not a regular file");
    free(path);

    path = malloc(10000);
    memset(path, 'x', 9999);
    path[0] = '/';
    path[9999] = '\0';
    search(tree, path);
    expect_n(tree, 1);
    expect_refused(tree, 0, path, PAIL_ERR_IO, "File name too long");

    free(path);
    free(dangling);
    free(folder);
    free(fifo);
    free(none);
}

/* This file is built with an install prefix of its own, so that there is one to look into. */
PAIL_TEST_OF_WITH(the_install_prefix_comes_last, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-a.so");
    char *prefix = realpath(PAIL_TEST_INSTALL_LIBDIR "/pail", NULL);
    assert_non_null(prefix);
    put(prefix, "libpail-installed.so");

    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search(&tree->found, tree->a, false), PAIL_OK);
    assert_true(tree->found.n >= 2);
    expect_file(tree, 0, tree->a, "libpail-a.so");
    expect_file(tree, tree->found.n - 1, prefix, "libpail-installed.so");

    /* It is no stranger's when one happens to stand in it. */
    assert_int_equal(chdir(prefix), 0);
    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search(&tree->found, "", false), PAIL_OK);
    assert_true(tree->found.n >= 1);
    expect_file(tree, tree->found.n - 1, prefix, "libpail-installed.so");
    search(tree, "");
    expect_n(tree, 0);

    /* But others must not be able to write there. */
    assert_int_equal(chmod(prefix, 0777), 0);
    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search(&tree->found, "", false), PAIL_OK);
    assert_int_equal(chmod(prefix, 0755), 0);
    expect_refused(tree, tree->found.n - 1, prefix, PAIL_ERR_ARGUMENT, "writable by everybody");
    free(prefix);
}

/* A search for backends does not see a transport, and a search for that sees nothing else. */
PAIL_TEST_OF_WITH(a_transport_is_no_backend, struct tree *tree, tree_make, tree_drop)
{
    put(tree->a, "libpail-a.so");
    put(tree->a, "libpail-mpi.so");
    put(tree->b, "libpail-mpi.so");
    search(tree, tree->a);
    expect_n(tree, 1);
    expect_file(tree, 0, tree->a, "libpail-a.so");
    char *file = files_path("%s/libpail-mpi.so", tree->b);
    search(tree, file);
    expect_n(tree, 0);
    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search_module(&tree->found, "libpail-mpi.so", tree->a), PAIL_OK);
    expect_file(tree, 0, tree->a, "libpail-mpi.so");
    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search_module(&tree->found, "libpail-mpi.so", file), PAIL_OK);
    expect_file(tree, 0, tree->b, "libpail-mpi.so");

    /* It is judged as a plugin is. */
    assert_int_equal(chmod(file, 0777), 0);
    pail_candidates_fini(&tree->found);
    assert_int_equal(pail_search_module(&tree->found, "libpail-mpi.so", file), PAIL_OK);
    expect_refused(tree, 0, file, PAIL_ERR_ARGUMENT, "writable by everybody");
    free(file);
}
