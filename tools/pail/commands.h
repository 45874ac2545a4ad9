/* The subcommands. Each gets the arguments from its own name on and returns an exit status. */
#ifndef PAIL_TOOL_COMMANDS_H
#define PAIL_TOOL_COMMANDS_H

#include "process/exit.h"

enum pail_exit pail_cmd_ab(int argc, char **argv);
enum pail_exit pail_cmd_adstack(int argc, char **argv);
enum pail_exit pail_cmd_bench(int argc, char **argv);
enum pail_exit pail_cmd_cache(int argc, char **argv);
enum pail_exit pail_cmd_check(int argc, char **argv);
enum pail_exit pail_cmd_info(int argc, char **argv);
enum pail_exit pail_cmd_mem(int argc, char **argv);
enum pail_exit pail_cmd_membudget(int argc, char **argv);
enum pail_exit pail_cmd_msm(int argc, char **argv);
enum pail_exit pail_cmd_sweep(int argc, char **argv);
enum pail_exit pail_cmd_tune(int argc, char **argv);
enum pail_exit pail_cmd_warmup(int argc, char **argv);

/* Writes "pail: " and the sentence to standard error, and returns the exit status for it. */
enum pail_exit pail_complain(pail_status status, const char *sentence);

/* The sentence for an option that getopt_long refused with ':' or '?', and PAIL_ERR_ARGUMENT. */
pail_status pail_report_option(char *error, size_t error_cap, int refusal, char *const *argv,
                               const char *command);

/* Flushes standard output: PAIL_EXIT_WORLD, with a sentence, if that fails. */
enum pail_exit pail_finish_output(enum pail_exit so_far);

#endif /* PAIL_TOOL_COMMANDS_H */
