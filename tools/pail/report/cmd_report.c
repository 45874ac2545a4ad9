/* SPDX-License-Identifier: Apache-2.0 */
/* `pail report`: its options. */
#include "report.h"

#include "commands.h"
#include "options/knobs.h"

const struct pail_name pail_report_step_names[PAIL_REPORT_STEPS + 1] = {
    {"correctness", 0}, {"accumulators", 1}, {"proof", 2},  {"transforms", 3}, {"sizing", 4},
    {"placements", 5},  {"msm-2^18", 6},     {"memory", 7}, {"msm-2^20", 8},   {NULL, 0},
};

#define OF struct pail_report_options
static const struct pail_option rows[] = {
    {PAIL_U64(OF, max_s, "max-s", "N", "seconds for each device"), .min = 5, .max = 86400},
    {PAIL_TEXT(OF, backend, "backend", "NAME",
               "only devices of this backend; cpu: the CPU backend; default: all plugins"),
     .not_empty = true},
    {PAIL_TEXT(OF, device, "device", "D", "only this device: index, or a part of its name"),
     .not_empty = true},
    {PAIL_SET(OF, only, "only", "LIST", "only these steps"), .values = pail_report_step_names},
    {PAIL_TEXT(OF, note, "note", "TEXT",
               "a sentence on the circumstances, such as \"on battery\", for the report")},
    {PAIL_FILE(OF, out, "out", "NAME", "name of both files, without .md and .json"),
     .not_empty = true},
    /* The process that makes the key of a proof, which may take too long. */
    {PAIL_TEXT(OF, key_in, "key-in", "FOLDER", "make a key there, and nothing else"),
     .hidden = true},
    {PAIL_U32(OF, constraints, "constraints", "N", "of that key"), .min = 1, .max = 1 << 24,
     .hidden = true},
};
#undef OF

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    (void)call;
    const struct pail_report_options *const options = given;
    if (options->key_in)
        (void)pail_report_make_key(options->key_in, options->constraints, error);
    else
        pail_report_write(options, error);
}

const struct pail_command pail_report_command = {
    .name = "report",
    .summary = "measure each device for three minutes, and write a page and a JSON file",
    .usage = "[OPTIONS]",
    .text =
        "Measures each device of the plugins for at most --max-s seconds and writes a page for "
        "people and a JSON file, without names of users, machines or folders. In this order: "
        "facts, "
        "correctness against the CPU, MSM of 2^16 with each accumulator, Groth16 proofs, "
        "transforms, sizes of history stacks, placements, MSM of 2^18, memory against time, MSM of "
        "2^20. Each step is a command of this program in a process of its own, and has a part of "
        "the time; what did not fit is listed as \"" PAIL_REPORT_NO_TIME "\". A device that fails "
        "is reported, too, with the command that repeats it; the exit status is 1 for a wrong "
        "result, and 5 for another failure. The key of the proofs is made for the report and "
        "removed. Results are the better the less else runs on the machine.",
    .examples = "report\n"
                "report --max-s 60 --out laptop --note \"on battery\"\n"
                "report --only accumulators,placements --device 0",
    .parts = {{PAIL_PART(rows)}},
    .tail = "A file of that name that is no report is not replaced. An interrupted report writes "
            "nothing.\n" PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_report_options),
    .defaults = &(const struct pail_report_options){.max_s = 180,
                                                    .only = (1U << PAIL_REPORT_STEPS) - 1,
                                                    .out = "pail-report",
                                                    .constraints = 1},
    .run = run,
};
