/* The CPU backend as a device that can be slow and that can be lost, for tests of the service.
 *
 * Environment:
 *   LOSING_FILE     the device is lost while a file of that name exists
 *   LOSING_SLOW_MS  that each start of multiplications takes longer */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pail/backend.h>

#include <cpu/cpu.h>

static const pail_backend *cpu;
static pail_backend table;

static uint32_t high_score(const pail_host *host)
{
    (void)host;
    return 1000000000;
}

static pail_status start(pail_context *context, pail_pending **pending, const pail_msm_job *jobs,
                         size_t n, const pail_msm_config *config)
{
    const char *const slow = getenv("LOSING_SLOW_MS"), *const file = getenv("LOSING_FILE");
    if (slow != NULL) {
        const long ms = strtol(slow, NULL, 10);
        (void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000},
                        NULL);
    }
    if (file != NULL && access(file, F_OK) == 0) {
        *pending = NULL;
        return PAIL_ERR_DEVICE_LOST;
    }
    return cpu->msm_start(context, pending, jobs, n, config);
}

__attribute__((visibility("default"))) pail_status pail_backend_open(const pail_host *host,
                                                                     const pail_backend **backend);

pail_status pail_backend_open(const pail_host *host, const pail_backend **backend)
{
    const pail_status status = pail_cpu_open(host, &cpu);
    *backend = NULL;
    if (status != PAIL_OK)
        return status;
    table = *cpu;
    table.name = "losing";
    table.score = high_score;
    table.msm_start = start;
    *backend = &table;
    return PAIL_OK;
}
