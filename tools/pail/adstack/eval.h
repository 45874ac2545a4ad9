/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of a case, computed in several ways and compared. */
#ifndef PAIL_TOOL_ADSTACK_EVAL_H
#define PAIL_TOOL_ADSTACK_EVAL_H

#include "case.h"
#include "error/error.h"
#include "process/session.h"

/* The ways. In each but the last the caches are left alone. */
enum pail_sizing_way {
    PAIL_WAY_HOST,   /* all of it on the host */
    PAIL_WAY_DEVICE, /* reads contents on the device */
    PAIL_WAY_AUTO,   /* as the backend chooses */
    PAIL_WAY_CACHED, /* the same again, out of the caches */
    PAIL_WAYS
};

extern const char *const pail_sizing_way_names[PAIL_WAYS];

struct pail_sizing_options {
    bool json, nodes;
    bool host_only, device_only;
    bool interpret, specialise;
    uint32_t runs;
    uint64_t max_cells;     /* of an evaluation; 0: any number */
    uint32_t max_ms;        /* of all evaluations together; 0: any time */
    const uint32_t *cancel; /* optional: the evaluations end once it is not 0 */
    struct pail_session_params session;
    const char *file;
};

/* The answer of one way. */
struct pail_sizing_answer {
    bool asked;
    struct pail_error error;   /* of the first evaluation */
    pail_task_size *tasks;     /* [n_tasks] */
    pail_stack_size *stacks;   /* [of all stacks] */
    uint32_t *words;           /* metadata of all tasks, with room for any form of them */
    pail_status *words_status; /* [n_tasks]: PAIL_ERR_DATA: a size does not fit a word */
    char *plan;                /* NULL: the backend explains nothing */
    pail_adstack_stats stats;  /* of the first evaluation */
    double first_ms;           /* with everything that is made once */
    double *ms;                /* [runs] */
    double *device_ms;         /* [runs] of it, the device's; 0: it has no timestamps */
};

struct pail_sizing_run {
    const struct pail_sizing_case *made;
    const struct pail_session *session;
    const struct pail_sizing_options *options;
    uint32_t runs;
    double begin_ms; /* of the first evaluation */
    uint32_t *ids;   /* [n_tasks] */
    struct pail_sizing_answer answers[PAIL_WAYS];
    enum pail_sizing_way first; /* the first that was asked: others are compared with it */
    /* One sentence for the first difference; empty: all agree, with what the file expects, too. */
    char difference[1536];
};

void pail_sizing_print(FILE *out, const struct pail_sizing_run *run);
pail_status pail_sizing_print_json(FILE *out, const struct pail_sizing_run *run,
                                   struct pail_error *error);
/* The trees as nodes, one JSON object. Needs no backend. */
pail_status pail_sizing_print_nodes(FILE *out, const struct pail_sizing_case *made,
                                    struct pail_error *error);

/* Words of a task's metadata. */
size_t pail_sizing_n_words(const pail_task_desc *task);
bool pail_sizing_has_claims(const pail_task_desc *task);

/* The index in pail_sizing_answer.words of a task's first word of metadata. */
size_t pail_sizing_words_of(const struct pail_sizing_case *made, size_t task);

#endif /* PAIL_TOOL_ADSTACK_EVAL_H */
