#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>

#include <pail/pail.h>
#include <platform/line.h>

#include "commands.h"
#include "process/room.h"

static const char help[] =
    "usage: pail COMMAND [OPTIONS]\n"
    "\n"
    "  info       list backends, devices, what they can do and what they cannot\n"
    "  msm        multi-scalar multiplication: the sum of scalars times points of a curve\n"
    "  adstack    sizes of history stacks by their trees, and registry ids\n"
    "\n"
    "pipelines:\n"
    "  warmup     build every pipeline of a deployment before it is needed\n"
    "  cache      list, check and prune what was built\n"
    "\n"
    "instruments:\n"
    "  check      multiply random inputs in random ways, and compare\n"
    "  bench      time multiplications over sizes and configurations\n"
    "  ab         compare two configurations, with a verdict beyond the noise\n"
    "  sweep      time one knob over a range of values\n"
    "  membudget  memory against time: every count of window batches\n"
    "  mem        every buffer of a multiplication, without running it\n"
    "  tune       measure what is best on a device, and keep it for what is left open\n"
    "\n"
    "  pail COMMAND --help   the options of a command\n"
    "  pail --version        versions of the program and of the plugin boundary\n"
    "\n"
    "exit status:\n"
    "  0  done\n"
    "  1  a result differs from what it was checked against, or a pipeline that ought to be in\n"
    "     the cache had to be compiled\n"
    "  2  a mistake on the command line\n"
    "  3  bad data in a file\n"
    "  4  not supported: no backend or no device can do it\n"
    "  5  the machine: memory, a lost device, files that cannot be read or written\n"
    "\n"
    "environment:\n"
    "  PAIL_BACKEND        the backend to use, as --backend names it\n"
    "  PAIL_BACKEND_PATH   folders and files to look for plugins in, separated by colons\n"
    "  PAIL_CACHE_DIR      folder of the pipeline cache; otherwise $XDG_CACHE_HOME/pail or\n"
    "                      ~/.cache/pail\n"
    "  PAIL_CACHE_LAYERS   folders whose caches are read as well, separated by colons; otherwise\n"
    "                      /usr/local/share/pail/cache:/usr/share/pail/cache\n"
    "  PAIL_CACHE_MAX_MIB  limit of a file of the cache; otherwise 256\n";

static const struct {
    const char *name;
    enum pail_exit (*run)(int argc, char **argv);
} commands[] = {
    {"ab", pail_cmd_ab},       {"adstack", pail_cmd_adstack},     {"bench", pail_cmd_bench},
    {"cache", pail_cmd_cache}, {"check", pail_cmd_check},         {"info", pail_cmd_info},
    {"mem", pail_cmd_mem},     {"membudget", pail_cmd_membudget}, {"msm", pail_cmd_msm},
    {"sweep", pail_cmd_sweep}, {"tune", pail_cmd_tune},           {"warmup", pail_cmd_warmup}};

static int run(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : NULL;
    if (word == NULL) {
        (void)fputs(help, stderr);
        return PAIL_EXIT_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        (void)fputs(help, stdout);
        return (int)pail_finish_output(PAIL_EXIT_OK);
    }
    if (strcmp(word, "--version") == 0) {
        (void)pail_print(stdout, "pail %s (ABI %u.%u)\n", pail_version(), PAIL_ABI_MAJOR,
                         PAIL_ABI_MINOR);
        return (int)pail_finish_output(PAIL_EXIT_OK);
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(word, commands[i].name) == 0)
            return (int)commands[i].run(argc - 1, argv + 1);
    (void)pail_print(stderr, "pail: there is no command \"%s\"; pail --help lists them\n", word);
    return PAIL_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    return pail_run_with_room(run, argc, argv);
}
