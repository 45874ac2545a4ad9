/* The backend that is used when nobody names one, and why. */
#ifndef PAIL_TOOL_PROCESS_CHOICE_H
#define PAIL_TOOL_PROCESS_CHOICE_H

#include <stddef.h>

#include <pail/pail.h>

/* The CPU backend; NULL if it could not be opened. */
const pail_backend *pail_choice_built_in(const pail_registry *registry);

/* Why it is the CPU backend: what each plugin says of itself, "llvmpipe of vulkan is a software
 * driver, which takes longer; --backend vulkan takes it all the same". */
void pail_choice_no_gpu(char *text, size_t cap, const pail_registry *registry);

struct pail_choice {
    pail_status status;          /* of pail_registry_find; otherwise reason is its sentence */
    const pail_backend *backend; /* for multiplications, without --backend; NULL: none */
    const pail_backend *sizer;   /* for stack sizes, pipelines and so on; NULL: none */
    char reason[1024];
};

void pail_choice_explain(struct pail_choice *choice, const pail_registry *registry);

#endif /* PAIL_TOOL_PROCESS_CHOICE_H */
