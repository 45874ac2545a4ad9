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

#endif /* PAIL_TOOL_COMMANDS_H */
