/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to requests, before they go into a connection. */
#ifndef PAIL_TOOL_SERVE_ANSWERS_H
#define PAIL_TOOL_SERVE_ANSWERS_H

#include "request.h"

struct pail_answer {
    unsigned status; /* of HTTP; 0: none yet */
    const char *type;
    const char *text;
    size_t bytes;
    char *owned; /* text, where it is to be freed */
    bool is_page;
    unsigned retry_after_s; /* 0: nothing of it */
    const char *allow;      /* optional */
    char location[64];      /* empty: none */
};

void pail_answer_free(struct pail_answer *answer);

/* {"error": "..."} */
void pail_answer_refusal(struct pail_answer *answer, unsigned status, const char *sentence);
/* The same of what the service says. */
void pail_answer_service(struct pail_answer *answer, struct pail_service *service,
                         enum pail_service_answer said, const char *why);

/* Everything but POST /prove; of a job what it is at now. */
void pail_answer_request(struct pail_answer *answer, struct pail_service *service,
                         const struct pail_request *request);

/* The state of a job: 200 once it has ended, else 202 with its place. */
void pail_answer_job(struct pail_answer *answer, struct pail_service *service, const char *id);

#endif /* PAIL_TOOL_SERVE_ANSWERS_H */
