/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

#include "options/table.h"

const struct pail_command_group pail_command_groups[] = {
    {NULL,
     {&pail_info_command, &pail_msm_command, &pail_adstack_id_command, &pail_adstack_eval_command}},
    {"proofs and commitments",
     {&pail_prove_command, &pail_witness_command, &pail_verify_command, &pail_key_info_command,
      &pail_key_export_command, &pail_export_calldata_command, &pail_kzg_commit_command,
      &pail_kzg_prove_command, &pail_kzg_verify_command, &pail_kzg_cells_command,
      &pail_kzg_recover_command, &pail_kzg_verify_cells_command, &pail_commit_command,
      &pail_serve_command}},
    {"pipelines",
     {&pail_warmup_command, &pail_cache_list_command, &pail_cache_verify_command,
      &pail_cache_prune_command}},
    {"instruments",
     {&pail_report_command, &pail_check_command, &pail_bench_command, &pail_bench_prove_command,
      &pail_ab_command, &pail_sweep_command, &pail_membudget_command, &pail_mem_command,
      &pail_ntt_command, &pail_tune_command, &pail_simulate_command, &pail_simulate_cluster_command,
      &pail_waterfall_command}},
    {NULL, {NULL}},
};

const struct pail_entry pail_exit_entries[] = {
    {"0", "done"},
    {"1", "a check failed: a result differs, a proof is invalid, or a pipeline was missing from "
          "the cache"},
    {"2", "wrong command line"},
    {"3", "invalid data in a file"},
    {"4", "not supported by any backend or device"},
    {"5", "out of memory, a lost device, a time limit, or files that cannot be read or written"},
    {NULL, NULL},
};

const struct pail_entry pail_environment_entries[] = {
    {"PAIL_BACKEND", "the backend to use, as --backend names it"},
    {"PAIL_BACKEND_PATH", "folders and files of plugins, separated by colons"},
    {"PAIL_CACHE_DIR", "folder of the pipeline cache; otherwise $XDG_CACHE_HOME/pail or "
                       "~/.cache/pail"},
    {"PAIL_CACHE_LAYERS",
     "folders whose caches are read as well, separated by colons; otherwise "
     "/usr/local/share/pail/cache, /var/cache/pail-shared and /usr/share/pail/cache"},
    {"PAIL_CACHE_MAX_MIB", "limit of a file of the cache; otherwise 256"},
    {NULL, NULL},
};

const struct pail_command *pail_command_at(size_t i)
{
    for (const struct pail_command_group *group = pail_command_groups; group->commands[0] != NULL;
         group++)
        for (size_t k = 0; group->commands[k] != NULL; k++)
            if (i-- == 0)
                return group->commands[k];
    return NULL;
}

const char *pail_name_in_family(const char *name, const char *family)
{
    const size_t length = strlen(family);
    return strncmp(name, family, length) == 0 && name[length] == ' ' ? name + length + 1 : NULL;
}

bool pail_command_in_family(const struct pail_command *command, const char *family)
{
    return pail_name_in_family(command->name, family) != NULL;
}

const struct pail_alias pail_aliases[] = {
    {"groth16 prove", &pail_prove_command},
    {"groth16 fullprove", &pail_prove_command},
    {"groth16 verify", &pail_verify_command},
    {"wtns calculate", &pail_witness_command},
    {"zkey export verificationkey", &pail_key_export_command},
    {"zkey export solidityverifier", &pail_key_export_command},
    {"zkey export soliditycalldata", &pail_export_calldata_command},
    {NULL, NULL},
};

const char *pail_command_name_at(size_t i, const char **summary)
{
    const struct pail_command *command = pail_command_at(i);
    const char *name = command ? command->name : NULL;
    size_t n = 0;
    while (!name && pail_command_at(n))
        n++;
    for (const struct pail_alias *alias = pail_aliases; !name && alias->name; alias++, n++)
        if (n == i) {
            name = alias->name;
            command = alias->command;
        }
    *summary = command ? command->summary : NULL;
    return name;
}

/* The number of words of argv[0..argc) that are the name, or 0. */
static int matches(const char *name, int argc, char *const *argv)
{
    for (int i = 0; i < argc; i++) {
        const size_t length = strlen(argv[i]);
        if (strncmp(name, argv[i], length) != 0)
            return 0;
        if (name[length] == '\0')
            return i + 1;
        if (name[length] != ' ')
            return 0;
        name += length + 1;
    }
    return 0;
}

const struct pail_command *pail_command_find(int *words, int argc, char *const *argv)
{
    const struct pail_command *command, *found = NULL;
    *words = 0;
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        const int n = matches(command->name, argc, argv);
        if (n > *words) {
            *words = n;
            found = command;
        }
    }
    for (const struct pail_alias *alias = pail_aliases; !found && alias->name; alias++) {
        *words = matches(alias->name, argc, argv);
        found = *words > 0 ? alias->command : NULL;
    }
    return found;
}

/* ---- Help ----------------------------------------------------------------------------------- */
static void print_entry(FILE *out, const char *name, const char *help, int column)
{
    (void)fprintf(out, "  %-*s", column - 2, name);
    pail_fill(out, (size_t)column, (size_t)column, help);
}

static void print_entries(FILE *out, const char *title, const struct pail_entry *entries,
                          int column)
{
    (void)fprintf(out, "\n%s:\n", title);
    for (; entries->name != NULL; entries++)
        print_entry(out, entries->name, entries->help, column);
}

void pail_program_start(FILE *out)
{
    static const struct pail_entry most[] = {
        {"pail info", "the backends and devices of this machine, and which one is used"},
        {"pail prove KEY.zkey WITNESS.wtns", "a Groth16 proof: proof.json and public.json"},
        {"pail verify VKEY.json PUBLIC.json PROOF.json", "tells whether a proof is valid"},
        {"pail serve --keys FOLDER --socket PATH", "proofs over HTTP, with a page to look at"},
        {"pail msm --n 2^16", "a multi-scalar multiplication, here of made-up points"},
        {NULL, NULL},
    };
    size_t n = 0;
    while (pail_command_at(n))
        n++;
    (void)fprintf(out, "usage: pail COMMAND [OPTIONS]\n\n");
    for (const struct pail_entry *entry = most; entry->name; entry++)
        (void)fprintf(out, "  %s\n      %s\n", entry->name, entry->help);
    (void)fprintf(out,
                  "\npail --help lists all %zu commands, pail help COMMAND has the options of "
                  "one.\n",
                  n);
}

void pail_program_help(FILE *out)
{
    (void)fputs("usage: pail COMMAND [OPTIONS]\n", out);
    for (const struct pail_command_group *group = pail_command_groups; group->commands[0] != NULL;
         group++) {
        (void)fprintf(out, group->title ? "\n%s:\n" : "\n", group->title);
        for (size_t i = 0; group->commands[i] != NULL; i++)
            print_entry(out, group->commands[i]->name, group->commands[i]->summary, 20);
    }
    (void)fputs(
        "\n  pail help COMMAND     the options of a command; or pail COMMAND --help\n"
        "  pail --version        versions of the program and of the plugin boundary; or -V\n",
        out);
    char names[256] = "Names of snarkjs, with its operands, are taken, too";
    for (const struct pail_alias *alias = pail_aliases; alias->name; alias++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s%s",
                       alias == pail_aliases ? ": " : ", ", alias->name);
    }
    (void)fputs("\n", out);
    pail_fill(out, 0, 0, names);
    print_entries(out, "exit status", pail_exit_entries, 5);
    print_entries(out, "environment", pail_environment_entries, 22);
}

void pail_family_help(FILE *out, const char *family)
{
    const char *name, *summary;
    int column = 12;
    for (size_t i = 0; (name = pail_command_name_at(i, &summary)) != NULL; i++)
        if ((name = pail_name_in_family(name, family)) != NULL && (int)strlen(name) + 4 > column)
            column = (int)strlen(name) + 4;
    (void)fprintf(out, "usage: pail %s COMMAND [OPTIONS]\n\n", family);
    for (size_t i = 0; (name = pail_command_name_at(i, &summary)) != NULL; i++)
        if ((name = pail_name_in_family(name, family)) != NULL)
            print_entry(out, name, summary, column);
    (void)fprintf(out, "\n  pail %s COMMAND --help   the options of a command\n", family);
}
