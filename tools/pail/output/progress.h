/* A line on standard error for work that takes longer than a second, where that is a terminal. */
#ifndef PAIL_TOOL_OUTPUT_PROGRESS_H
#define PAIL_TOOL_OUTPUT_PROGRESS_H

#include <stdbool.h>

struct pail_progress {
    const char *label;
    double begin_ms;
    double drawn_ms; /* 0: the line is not on the screen */
    bool terminal;
};

/* label: what is being done, "reading witness.wtns"; must stay valid. */
void pail_progress_begin(struct pail_progress *progress, const char *label);

/* Draws the line when it is time to. part: what is done, 0 to 1; negative when nobody knows. user
 * is the progress: the signature is that of callbacks. */
void pail_progress_tick(void *user, double part);

/* Takes the line off the screen. Returns the milliseconds since begin. */
double pail_progress_end(struct pail_progress *progress);

#endif /* PAIL_TOOL_OUTPUT_PROGRESS_H */
