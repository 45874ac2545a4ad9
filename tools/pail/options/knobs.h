/* The knobs of a multiplication by the words of the command line. */
#ifndef PAIL_TOOL_OPTIONS_KNOBS_H
#define PAIL_TOOL_OPTIONS_KNOBS_H

#include <stdbool.h>
#include <stddef.h>

#include <pail/backend.h>

/* 0 everywhere: the backend's own choice. */
struct pail_knobs {
    pail_msm_config config;
    uint32_t residency;    /* pail_residency, of the bases */
    uint32_t table_factor; /* of the bases, too */
};

enum pail_knob {
    PAIL_KNOB_WINDOW,
    PAIL_KNOB_ACCUMULATOR,
    PAIL_KNOB_FIELD,
    PAIL_KNOB_PLACEMENT,
    PAIL_KNOB_WORKGROUP,
    PAIL_KNOB_THREADS,
    PAIL_KNOB_SLOTS,
    PAIL_KNOB_INVERSION_GROUP,
    PAIL_KNOB_BATCHES,
    PAIL_KNOB_MEMORY_BUDGET,
    PAIL_KNOB_RESIDENCY,
    PAIL_KNOB_TABLE_FACTOR,
    PAIL_KNOB_PUBLIC_SCALARS,
    PAIL_KNOBS
};

/* What --help says of them: their names and values. */
#define PAIL_KNOBS_HELP                                                                            \
    "  --window BITS  --accumulator auto|xyzz|walker|coop|debug  --field "                         \
    "auto|8x32|9x29|5x51|host\n"                                                                   \
    "  --slots N  --placement auto|private|workgroup|device  --inversion-group N  --threads N\n"   \
    "  --workgroup N (or --tpb)  --batches N  --memory-budget BYTES  --residency "                 \
    "auto|device|host\n"                                                                           \
    "  --table-factor F (copies of each point, made beforehand)\n"                                 \
    "  --public-scalars (they are no secrets: what is made of them need not be wiped; in a "       \
    "configuration\n"                                                                              \
    "                   public-scalars=yes)\n"

void pail_knobs_init(struct pail_knobs *knobs);

/* "window", "accumulator", ... */
const char *pail_knob_name(enum pail_knob knob);

/* PAIL_KNOBS if there is none of that name. "tpb" is another name of "workgroup". */
enum pail_knob pail_knob_find(const char *name, size_t length);

/* False, and nothing is stored, if the text makes no value of the knob. text NULL: "yes", of an
 * option without a value. */
bool pail_knob_set(struct pail_knobs *knobs, enum pail_knob knob, const char *text);

/* Whether its values are numbers, not words. */
bool pail_knob_is_number(enum pail_knob knob);

/* Whether one of them is a knob of kernels, which the CPU backend has none of. */
bool pail_knobs_of_kernels(const struct pail_knobs *knobs);

/* "accumulator=walker,slots=8": those that are not 0, or "default". Returns text. */
const char *pail_knobs_text(char *text, size_t cap, const struct pail_knobs *knobs);

#endif /* PAIL_TOOL_OPTIONS_KNOBS_H */
