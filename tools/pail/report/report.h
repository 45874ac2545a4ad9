/* SPDX-License-Identifier: Apache-2.0 */
/* `pail report`: what the measuring commands say of each device, in one page and one JSON file. */
#ifndef PAIL_TOOL_REPORT_REPORT_H
#define PAIL_TOOL_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "error/error.h"
#include "options/names.h"

struct pail_report_options {
    uint64_t max_s; /* for each device */
    const char *backend, *device;
    uint32_t only; /* bits, 1 << the number of a step */
    const char *note, *out;
    /* Hidden: makes a key and a witness in this folder, and nothing else. */
    const char *key_in;
    uint32_t constraints;
};

/* Measures the devices that the options ask for, and writes both files. */
void pail_report_write(const struct pail_report_options *options, struct pail_error *error);

/* The outcome of a row that there was no time for. */
#define PAIL_REPORT_NO_TIME "not measured: time"

/* ---- One device ------------------------------------------------------------------------------ */

enum { PAIL_REPORT_CHARS = 512 /* of a command line in a report */ };

struct pail_report_run {
    const struct pail_report_options *options;
    const uint32_t *interrupt;
    const char *backend;     /* of the device, as --backend names it */
    char index[16];          /* its index there */
    double begin_ms, end_ms; /* of the device; by pail_now_ms */
    double step_end_ms;      /* rows without an answer by then are not measured */
    json_t *rows;            /* of the step; not owned */
    const char *label;       /* of the step, for a line on a terminal */
    /* A folder of this program for files that a step makes; "": there is none yet. */
    char folder[256];
    /* Milliseconds of a multiplication of so many points, of the largest size so far; 0: none. */
    double msm_ms;
    uint64_t msm_n;
    double pipelines_ms; /* of those that children have built or read, and their numbers */
    uint64_t compiled, disk;
    /* The first failure, and the command that repeats it. */
    char failure[1024], repeats[PAIL_REPORT_CHARS];
    bool wrong, failed;       /* a result was wrong; something else went wrong */
    struct pail_error *error; /* ends the program: interrupted, no memory, no process */
};

/* ---- Steps ----------------------------------------------------------------------------------- */

struct pail_report_step {
    const char *name, *title;
    unsigned weight; /* its part of the time, beside those of the steps behind it */
    void (*run)(struct pail_report_run *run);
};

enum { PAIL_REPORT_STEPS = 9 };
extern const struct pail_report_step pail_report_steps[PAIL_REPORT_STEPS];
extern const struct pail_name pail_report_step_names[PAIL_REPORT_STEPS + 1];

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A question to another process of this program. */
struct pail_report_question {
    const char *const *words; /* "bench", "--n", ...: up to a NULL, without the device and --json */
    bool lines;               /* its JSON is lines, not one object */
    const char *repeats;      /* the command that repeats it; NULL: made of the words */
    /* Called for each line, or for the object. */
    void (*answer)(void *user, json_t *row);
    void *user;
};

enum pail_report_end {
    PAIL_REPORT_DONE,
    PAIL_REPORT_LATE,    /* the time was up */
    PAIL_REPORT_REFUSED, /* not supported */
    PAIL_REPORT_FAILED,  /* in run->error, or in the sentence */
};

struct pail_report_answer {
    enum pail_report_end end;
    bool wrong;                      /* it ended with the status of a failed check */
    double wall_ms;                  /* of the process */
    char sentence[1024];             /* why it failed or refused */
    char command[PAIL_REPORT_CHARS]; /* that repeats it */
};

/* The outcome of the words that a process had, with what it said. */
struct pail_child_end;
void pail_report_conclude(struct pail_report_answer *answer, const struct pail_child_end *end);

/* Asks within the time of the step. */
void pail_report_ask(struct pail_report_run *run, struct pail_report_answer *answer,
                     const struct pail_report_question *question);

/* Appends a row. measured: optional, taken over: what was measured. reason, command: optional. */
void pail_report_put(struct pail_report_run *run, const char *name, const char *outcome,
                     const char *reason, const char *command, json_t *measured);

/* The same of a row that an answer has left without one. */
void pail_report_put_end(struct pail_report_run *run, const char *name,
                         const struct pail_report_answer *answer);

/* Notes a process that failed although its answer has left no row out, as one that crashes when it
 * closes the device. */
void pail_report_note_end(struct pail_report_run *run, const char *name,
                          const struct pail_report_answer *answer);

/* An error of this process while it asks: PAIL_ERR_IO costs the answer, others end the program. */
void pail_report_take_error(struct pail_report_run *run, struct pail_report_answer *answer,
                            const struct pail_error *error);

/* Copies those members of a row that a report has; takes none over. NULL: no memory. */
json_t *pail_report_pick(const json_t *row, const char *const *keys);

/* True where that many milliseconds do not fit any more. */
bool pail_report_lacks(const struct pail_report_run *run, double ms);

/* ---- Files of a proof ------------------------------------------------------------------------ */

/* Has a process make a key and a witness of so many constraints in the run's folder, at paths of
 * 512 characters each, within the time of the step. */
void pail_report_ask_for_key(struct pail_report_run *run, struct pail_report_answer *answer,
                             char *key, char *witness, uint32_t constraints);

/* That process. PAIL_ERR_IO or PAIL_ERR_HOST_MEMORY with a sentence. */
pail_status pail_report_make_key(const char *folder, uint32_t constraints,
                                 struct pail_error *error);

/* A file of the run's folder with that text. */
pail_status pail_report_make_file(struct pail_report_run *run, char *path, const char *name,
                                  const char *text, struct pail_error *error);

/* Removes the folder with what is in it. */
void pail_report_remove_folder(struct pail_report_run *run);

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The text without absolute paths, and without the names of the user and of the machine, quoted as
 * pail_quote does: UTF-8. capacity: at most 1024. Returns out. */
const char *pail_report_clean(char *out, size_t capacity, const char *text);

enum { PAIL_REPORT_SYSTEM_CHARS = 128 };

/* "Linux x86_64", and the name of the processor where the system tells it, otherwise "". Return
 * out. */
const char *pail_report_system(char out[PAIL_REPORT_SYSTEM_CHARS]);
const char *pail_report_processor(char out[PAIL_REPORT_SYSTEM_CHARS]);

/* The page for people, of the report as JSON. */
void pail_report_print_page(FILE *out, const json_t *report);

/* The first bytes of both files, by which they are known. */
#define PAIL_REPORT_PAGE_HEAD "# Report of Pail"
#define PAIL_REPORT_JSON_HEAD "{\n \"pail_report\": 1,"

#endif /* PAIL_TOOL_REPORT_REPORT_H */
