/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that there are, each defined where its folder is. */
#ifndef PAIL_TOOL_COMMANDS_H
#define PAIL_TOOL_COMMANDS_H

#include <stdio.h>

#include "options/table.h"

extern const struct pail_command pail_simulate_command, pail_simulate_cluster_command,
    pail_ab_command, pail_adstack_eval_command, pail_adstack_id_command, pail_bench_command,
    pail_bench_prove_command, pail_cache_list_command, pail_cache_prune_command,
    pail_cache_verify_command, pail_check_command, pail_commit_command, pail_info_command,
    pail_kzg_cells_command, pail_kzg_commit_command, pail_kzg_prove_command,
    pail_kzg_recover_command, pail_kzg_verify_cells_command, pail_kzg_verify_command,
    pail_export_calldata_command, pail_key_export_command, pail_key_info_command, pail_mem_command,
    pail_membudget_command, pail_msm_command, pail_ntt_command, pail_prove_command,
    pail_report_command, pail_serve_command, pail_sweep_command, pail_tune_command,
    pail_verify_command, pail_warmup_command, pail_waterfall_command, pail_witness_command;

/* A group of commands as pail --help lists it; commands with the same first word stand together. */
struct pail_command_group {
    const char *title;                       /* NULL: of those that come first */
    const struct pail_command *commands[16]; /* up to a NULL */
};

/* All groups, up to one without commands. */
extern const struct pail_command_group pail_command_groups[];

/* Number i of all commands; NULL past the end. */
const struct pail_command *pail_command_at(size_t i);

/* A word with what is said of it: exit statuses, variables of the environment. Up to a NULL. */
struct pail_entry {
    const char *name, *help;
};
extern const struct pail_entry pail_exit_entries[], pail_environment_entries[];

/* The names that commands have in snarkjs, with the same operands. Up to a NULL. */
struct pail_alias {
    const char *name;
    const struct pail_command *command;
};
extern const struct pail_alias pail_aliases[];

/* The command that argv[0..argc) begins with the name or the alias of, the longest where there are
 * several ("bench prove" and not "bench"); NULL: none. *words: how many the name has, or 0. */
const struct pail_command *pail_command_find(int *words, int argc, char *const *argv);

/* The i-th name of all commands, aliases behind them, with the summary of its command; NULL: there
 * are not as many. */
const char *pail_command_name_at(size_t i, const char **summary);

/* The rest of a name behind its first word, if that is `family`; NULL: it is another. */
const char *pail_name_in_family(const char *name, const char *family);

/* True for a command of two words of which `family` is the first. */
bool pail_command_in_family(const struct pail_command *command, const char *family);

/* The first lines for somebody who gave no command: those that most people want. */
void pail_program_start(FILE *out);

/* The --help text of the whole program, or of the commands of a family. */
void pail_program_help(FILE *out);
void pail_family_help(FILE *out, const char *family);

#endif /* PAIL_TOOL_COMMANDS_H */
