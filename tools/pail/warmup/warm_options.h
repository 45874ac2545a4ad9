/* The command line of `pail warmup`. */
#ifndef PAIL_TOOL_WARMUP_WARM_OPTIONS_H
#define PAIL_TOOL_WARMUP_WARM_OPTIONS_H

#include "error/error.h"
#include "options/table.h"
#include "process/session.h"
#include "selection.h"

struct pail_warm_options {
    bool json, verbose;
    bool all, adstack, all_devices;
    bool expect_hits, verify;
    const char *manifest;
    const char *texts[PAIL_WARM_KEYS]; /* as given: --curve and its like; NULL: not given */
    const char *threads_text;          /* as given */
    const char *export_path, *import_path;
    struct pail_session_params session; /* with the folder of the cache */
};

enum { PAIL_WARM_ROWS = 24 };
extern const struct pail_option pail_warm_rows[PAIL_WARM_ROWS];

/* Completes options that were read. Returns PAIL_OK or PAIL_ERR_ARGUMENT with a sentence. Values of
 * the options that describe a shape are judged by pail_warm_options_select. */
pail_status pail_warm_options_check(struct pail_warm_options *options, struct pail_error *error);

/* True if there is anything to build: otherwise files are moved alone. */
bool pail_warm_options_build(const struct pail_warm_options *options);

/* Selects the pipelines to build. Returns as pail_warm_manifest_read, and PAIL_ERR_ARGUMENT. */
pail_status pail_warm_options_select(struct pail_warm_selection *selection,
                                     const struct pail_warm_options *options,
                                     struct pail_error *error);

#endif /* PAIL_TOOL_WARMUP_WARM_OPTIONS_H */
