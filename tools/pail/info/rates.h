/* Rates of a device out of its cache: the time of kernels for each unit of their work. */
#ifndef PAIL_TOOL_INFO_RATES_H
#define PAIL_TOOL_INFO_RATES_H

#include <pail/context.h>

#include <cache/entry.h>

struct pail_info_rate {
    char kernel[PAIL_CACHE_NAME_MAX]; /* "": no pipeline of it is in the cache any more */
    struct pail_pace_rate rate;
};

struct pail_info_rates {
    uint32_t n;
    struct pail_info_rate rates[PAIL_PACE_RECORD_MOST];
};

/* Reads the rates in the user's folder. None where nothing was measured, or the file cannot be
 * read. */
void pail_info_rates_read(struct pail_info_rates *rates, const pail_device_info *info);

#endif /* PAIL_TOOL_INFO_RATES_H */
