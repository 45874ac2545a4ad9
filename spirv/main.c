/* SPDX-License-Identifier: Apache-2.0 */
/* pail-spirv: compiles and checks every variant of every kernel and writes them as C; or one of
 * them, to be looked at. See usage(). */
#include <platform/thread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "emit.h"
#include "keep.h"
#include "tools.h"
#include "tree.h"

#define N_WORKERS 2u
#define ERROR_MAX 4096u
/* The folder of modules to keep; unset: none are. */
#define KEEP_VARIABLE "PAIL_SPIRV_KEEP"

struct job {
    const struct pail_kernel *kernel;
    struct pail_variant variant;
    char name[PAIL_NAME_MAX];
    uint32_t *words;
    size_t n_words;
    enum pail_spirv_status status;
    char error[ERROR_MAX];
};

struct batch {
    const struct pail_source_tree *tree;
    const char *keep; /* a folder, or NULL */
    struct job *jobs;
    size_t n_jobs;
    atomic_size_t next;
};

static void usage(FILE *to)
{
    fputs(
        "usage: pail-spirv --glsl DIR [--more DIR] [--keep DIR [--tool FILE]]\n"
        "                  --modules OUT.c --sources OUT.c\n"
        "       pail-spirv --glsl DIR [--more DIR] --one VARIANT [-S]\n"
        "       pail-spirv --glsl DIR [--more DIR] --file NAME --header OUT.h\n"
        "Compiles the kernels below DIR, checks them against the list of kernels and writes them "
        "and\n"
        "their texts as C. --one writes one module to standard output, with -S as assembler "
        "text. --file compiles DIR/NAME.comp, which is in no list, to a header that has its words "
        "as\n"
        "NAME_words. Modules are kept in, and taken from, the folder PAIL_SPIRV_KEEP of the\n"
        "environment, or else that of --keep, if there is one, by all that they are made from;\n"
        "--tool says that the modules of another program, which compiles with the same code, are\n"
        "as good as its own.\n",
        to);
}

/* Compiles, or takes what an earlier run kept. */
static void get_module(const struct pail_source_tree *tree, const char *keep, struct job *job)
{
    char path[PAIL_KEEP_PATH_MAX] = "";
    char *text = keep ? pail_spirv_text(tree, job->kernel, job->variant) : NULL;
    if (text)
        pail_keep_path(path, keep, text);
    free(text);
    if (pail_keep_read(path, &job->words, &job->n_words)) {
        job->status = PAIL_SPIRV_OK;
        return;
    }
    job->status = pail_spirv_compile(tree, job->kernel, job->variant, &job->words, &job->n_words,
                                     job->error, sizeof(job->error));
    if (job->status == PAIL_SPIRV_OK && !job->error[0])
        pail_keep_write(path, job->words, job->n_words);
}

static void run_job(const struct pail_source_tree *tree, const char *keep, struct job *job)
{
    get_module(tree, keep, job);
    if (job->status != PAIL_SPIRV_OK)
        return;
    if (job->error[0])
        fprintf(stderr, "pail-spirv: %s: warning: %s\n", job->name, job->error);
    job->status = pail_spirv_check(job->kernel, job->variant, job->words, job->n_words, job->error,
                                   sizeof(job->error));
    const size_t bytes = job->n_words * sizeof(uint32_t);
    if (job->status == PAIL_SPIRV_OK && bytes > PAIL_SPIRV_MAX_BYTES) {
        job->status = PAIL_SPIRV_MISMATCH;
        snprintf(job->error, sizeof(job->error), "%s: the module has %zu bytes, %u are allowed",
                 job->name, bytes, PAIL_SPIRV_MAX_BYTES);
    }
}

static void *work(void *user)
{
    struct batch *batch = user;
    for (;;) {
        const size_t i = atomic_fetch_add(&batch->next, 1);
        if (i >= batch->n_jobs)
            return NULL;
        run_job(batch->tree, batch->keep, &batch->jobs[i]);
    }
}

/* Every variant of every kernel, in the order of pail_variant_index; NULL when out of memory. */
static struct job *list_jobs(size_t *n_jobs)
{
    struct pail_variant list[PAIL_MAX_VARIANTS];
    size_t n = 0;
    for (size_t k = 0; k < pail_n_kernels; k++)
        n += pail_kernel_variants(&pail_kernels[k], list);
    struct job *jobs = calloc(n, sizeof(*jobs));
    *n_jobs = jobs ? n : 0;
    size_t i = 0;
    for (size_t k = 0; jobs && k < pail_n_kernels; k++) {
        const uint32_t n_variants = pail_kernel_variants(&pail_kernels[k], list);
        for (uint32_t v = 0; v < n_variants; v++, i++) {
            jobs[i].kernel = &pail_kernels[k];
            jobs[i].variant = list[v];
            pail_variant_name(jobs[i].kernel, list[v], jobs[i].name);
        }
    }
    return jobs;
}

static void free_jobs(struct job *jobs, size_t n_jobs)
{
    for (size_t i = 0; i < n_jobs; i++)
        free(jobs[i].words);
    free(jobs);
}

/* Compiles the jobs on N_WORKERS threads; false if one failed, after telling about all that did. */
static bool run_jobs(const struct pail_source_tree *tree, const char *keep, struct job *jobs,
                     size_t n_jobs)
{
    struct batch batch = {.tree = tree, .keep = keep, .jobs = jobs, .n_jobs = n_jobs};
    pthread_t threads[N_WORKERS];
    size_t n_threads = 0;
    /* Held over all jobs so that glslang's symbol tables are built once. */
    if (pail_spirv_acquire() != PAIL_SPIRV_OK) {
        fputs("pail-spirv: glslang cannot start\n", stderr);
        return false;
    }
    while (n_threads + 1 < N_WORKERS && pail_thread_start(&threads[n_threads], "pail-spirv",
                                                          PAIL_STACK_FOREIGN, work, &batch) == 0)
        n_threads++;
    work(&batch);
    for (size_t i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    pail_spirv_release();

    bool ok = true;
    for (size_t i = 0; i < n_jobs; i++) {
        if (jobs[i].status == PAIL_SPIRV_OK)
            continue;
        fprintf(stderr, "pail-spirv: %s cannot be built:\n%s\n", jobs[i].name, jobs[i].error);
        ok = false;
    }
    return ok;
}

static bool build_all(const struct pail_source_tree *tree, const char *keep,
                      const char *modules_path, const char *sources_path)
{
    char error[ERROR_MAX];
    size_t n_jobs;
    struct job *jobs = list_jobs(&n_jobs);
    struct pail_module *modules = calloc(n_jobs, sizeof(*modules));
    bool ok = jobs && modules && run_jobs(tree, keep, jobs, n_jobs);
    for (size_t i = 0; ok && i < n_jobs; i++)
        modules[i] = (struct pail_module){
            .name = jobs[i].name, .words = jobs[i].words, .n_words = jobs[i].n_words};
    if (ok && (!pail_emit_modules(modules_path, modules, n_jobs, error, sizeof(error)) ||
               !pail_emit_sources(sources_path, tree, error, sizeof(error)))) {
        fprintf(stderr, "pail-spirv: %s\n", error);
        ok = false;
    }
    free(modules);
    free_jobs(jobs, n_jobs);
    return ok;
}

static bool print_module(const struct job *job, bool assembler)
{
    bool ok;
    if (assembler) {
        char *text = NULL;
        ok = pail_tools_disassemble(job->words, job->n_words, &text) == PAIL_SPIRV_OK &&
             fputs(text, stdout) >= 0;
        free(text);
    } else {
        ok = fwrite(job->words, sizeof(uint32_t), job->n_words, stdout) == job->n_words;
    }
    ok = fflush(stdout) == 0 && ok;
    if (!ok)
        fprintf(stderr, "pail-spirv: cannot write %s to standard output\n", job->name);
    return ok;
}

static bool build_one(const struct pail_source_tree *tree, const char *keep, const char *name,
                      bool assembler)
{
    size_t n_jobs, i = 0;
    struct job *jobs = list_jobs(&n_jobs);
    while (i < n_jobs && strcmp(jobs[i].name, name) != 0)
        i++;
    bool ok = i < n_jobs;
    if (!ok) {
        fprintf(stderr, "pail-spirv: there is no variant %s, there are:\n", name);
        for (size_t k = 0; k < n_jobs; k++)
            fprintf(stderr, "  %s\n", jobs[k].name);
    }
    ok = ok && run_jobs(tree, keep, jobs + i, 1);
    /* A module that fails the check is still worth looking at. */
    if (i < n_jobs && jobs[i].words)
        ok = print_module(&jobs[i], assembler) && ok;
    free_jobs(jobs, n_jobs);
    return ok;
}

/* A kernel that nobody but its author knows: no variants, nothing to check it against. */
static bool build_file(const struct pail_source_tree *tree, const char *name, const char *path)
{
    const struct pail_kernel kernel = {.name = name};
    const struct pail_variant variant = {0};
    char error[ERROR_MAX], array[PAIL_NAME_MAX + 8];
    uint32_t *words = NULL;
    size_t n_words;
    snprintf(array, sizeof(array), "%.*s_words", (int)PAIL_NAME_MAX, name);
    const bool ok = pail_spirv_compile(tree, &kernel, variant, &words, &n_words, error,
                                       sizeof(error)) == PAIL_SPIRV_OK &&
                    pail_emit_words(path, array, words, n_words, error, sizeof(error));
    if (error[0])
        fprintf(stderr, "pail-spirv: %s.comp: %s\n", name, error);
    free(words);
    return ok;
}

int main(int argc, char **argv)
{
    const char *glsl = NULL, *more = NULL, *modules = NULL, *sources = NULL, *one = NULL;
    const char *file = NULL, *header = NULL, *keep = getenv(KEEP_VARIABLE);
    const char *other_keep = NULL, *tool = NULL;
    bool assembler = false;
    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "--glsl") == 0      ? &glsl
                             : strcmp(argv[i], "--more") == 0    ? &more
                             : strcmp(argv[i], "--modules") == 0 ? &modules
                             : strcmp(argv[i], "--sources") == 0 ? &sources
                             : strcmp(argv[i], "--one") == 0     ? &one
                             : strcmp(argv[i], "--file") == 0    ? &file
                             : strcmp(argv[i], "--header") == 0  ? &header
                             : strcmp(argv[i], "--keep") == 0    ? &other_keep
                             : strcmp(argv[i], "--tool") == 0    ? &tool
                                                                 : NULL;
        if (strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "-S") == 0) {
            assembler = true;
        } else if (value && i + 1 < argc) {
            *value = argv[++i];
        } else {
            fprintf(stderr, "pail-spirv: %s %s\n", argv[i],
                    value ? "needs a value" : "is not an option");
            usage(stderr);
            return EXIT_FAILURE;
        }
    }
    const bool all = modules && sources && !one && !assembler && !file && !header;
    const bool some = one && !modules && !sources && !file && !header;
    const bool other = file && header && !modules && !sources && !one && !assembler;
    if (!glsl || !(all || some || other)) {
        usage(stderr);
        return EXIT_FAILURE;
    }
    char error[ERROR_MAX];
    struct pail_source_tree tree;
    const char *const dirs[] = {glsl, more};
    if (!pail_tree_read(dirs, more ? 2 : 1, &tree, error, sizeof(error))) {
        fprintf(stderr, "pail-spirv: %s\n", error);
        return EXIT_FAILURE;
    }
    if (!keep || !keep[0])
        keep = other_keep;
    if (keep && !pail_keep_tool(tool)) {
        fprintf(stderr, "pail-spirv: cannot read %s\n", tool ? tool : "its own program file");
        pail_tree_free(&tree);
        return EXIT_FAILURE;
    }
    const bool ok = all    ? build_all(&tree, keep, modules, sources)
                    : some ? build_one(&tree, keep, one, assembler)
                           : build_file(&tree, file, header);
    pail_tree_free(&tree);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
