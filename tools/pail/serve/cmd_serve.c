/* SPDX-License-Identifier: Apache-2.0 */
/* `pail serve`: proofs for whoever asks over a socket. */
#include "commands.h"
#include "config.h"
#include "process/process.h"
#include "serve.h"

#define OF struct pail_serve_options
static bool store_also(void *given, const char *text)
{
    struct pail_serve_options *const options = given;
    if (text[0] == '\0' || options->n_also == PAIL_SERVE_ALSO_MAX)
        return false;
    options->also[options->n_also++] = text;
    return true;
}

static const struct pail_name for_names[] = {
    {"owner", PAIL_SERVE_OWNER}, {"group", PAIL_SERVE_GROUP}, {"all", PAIL_SERVE_ALL}, {NULL, 0}};

static const struct pail_option places[] = {
    {PAIL_FILE(OF, config, "config", "FILE",
               "further options: an object of JSON with their long names, for example {\"keys\": "
               "\"keys\", \"inflight\": 2, \"no-spare\": true, \"also\": [\"1\"]}; what the "
               "command line has wins"),
     .not_empty = true},
    {PAIL_FILE(OF, keys, "keys", "FOLDER",
               "folder of keys, files NAME.zkey; SIGHUP reads it again"),
     .not_empty = true},
    {PAIL_FILE(OF, socket, "socket", "PATH", "listen on a Unix socket"), .not_empty = true},
    {PAIL_NAME(OF, socket_for, "socket-for", "WHO", "who may connect to it"), .values = for_names},
    {PAIL_TEXT(OF, listen, "listen", "ADDRESS",
               "listen on 127.0.0.1:PORT or [::1]:PORT; needs --tokens"),
     .not_empty = true},
    {PAIL_FLAG(OF, beyond_loopback, "beyond-loopback",
               "let --listen have any address, 0.0.0.0:PORT for example, in a network whose hosts "
               "may read requests: they are not encrypted")},
    {PAIL_FILE(OF, tokens, "tokens", "FILE",
               "a bearer token in each line, for --listen; SIGHUP reads it again"),
     .not_empty = true},
};

static const struct pail_option devices[] = {
    {PAIL_CUSTOM(store_also, "also", "D", "a further device: " PAIL_HELP_DEVICE), .many = true},
    {PAIL_FLAG(OF, no_spare, "no-spare", "do not continue on the CPU when all devices are lost")},
    {PAIL_U32(OF, inflight, "inflight", "N", "slots of each device"), .min = 1, .max = 64},
    {PAIL_U32(OF, share, "share", "K", PAIL_HELP_SHARE), .max = 16},
    {PAIL_U32(OF, producers, "producers", "N", "threads that check witnesses"), .min = 1,
     .max = 1024},
    {PAIL_U32(OF, host_threads, "host-threads", "N", "threads that finish proofs"), .min = 1,
     .max = 1024},
    {PAIL_U32(
         OF, host_bucket_mb, "host-bucket-mb", "MIB",
         "scratch memory for threads of a multiplication on the host; 0: half of the L3 caches"),
     .max = 1 << 20},
    {PAIL_U64(OF, mem_budget, "mem-budget", "MIB",
              "host memory that proofs may reserve; 0: available memory"),
     .max = 1 << 30},
    {PAIL_U64(OF, vram_budget, "vram-budget", "MIB", "the same for the memory of each device"),
     .max = 1 << 30},
    {PAIL_NAME(OF, residency, "residency", "R", "where to keep the keys' points"),
     .values = pail_residency_names},
    {PAIL_U32(OF, table_factor, "table-factor", "F",
              "most copies of each point in precomputed tables")},
    {PAIL_NAME(OF, b2, "b2", "W", PAIL_HELP_B2), .values = pail_b2_names},
    {PAIL_NAME(OF, validation, "validation", "V", "checks of the keys' points"),
     .values = pail_validation_names},
};

static const struct pail_option limits[] = {
    {PAIL_U32(OF, queue, "queue", "N", "most unfinished jobs; further ones get status 503"),
     .min = 1, .max = 65535},
    {PAIL_U64(OF, witness_mib, "witness-mib", "MIB", "memory of all witnesses"), .min = 1,
     .max = 1 << 30},
    {PAIL_U32(OF, keep, "keep", "N", "most results that are kept"), .min = 1, .max = 100000},
    {PAIL_U64(OF, keep_s, "keep-for", "S", "seconds that a result is kept"), .min = 1,
     .max = 1000000},
    {PAIL_U32(OF, connections, "connections", "N",
              "connections to each socket; beyond, those idle for longest are closed"),
     .min = 1, .max = 10000},
    {PAIL_U64(OF, request_s, "request-timeout", "S",
              "seconds for a client to send a request, and to receive a response"),
     .min = 1, .max = 86400},
    {PAIL_U64(OF, drain_s, "drain-timeout", "S", "seconds after SIGTERM until jobs are cancelled"),
     .max = 86400},
    {PAIL_U64(OF, linger_s, "linger", "S", "most seconds for fetching results after that"),
     .max = 86400},
    {PAIL_FLAG(OF, no_check, "no-check", "do not verify proofs")},
};
#undef OF

static const struct pail_serve_options defaults = {.inflight = 2,
                                                   .producers = 2,
                                                   .host_threads = 2,
                                                   .queue = 64,
                                                   .witness_mib = 1024,
                                                   .keep = 1024,
                                                   .keep_s = 600,
                                                   .connections = 128,
                                                   .request_s = 30,
                                                   .drain_s = 60,
                                                   .linger_s = 5,
                                                   .limits = {.memory_mib = 4096, .time_s = 60}};

static pail_status check(const struct pail_serve_options *options, const struct pail_call *call,
                         struct pail_error *error)
{
    if (!options->keys)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--keys is missing: the folder of the keys, files NAME.zkey");
    if (!options->socket && !options->listen)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "neither --socket nor --listen is given: where clients connect to");
    if (options->listen && !options->tokens)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--listen %s: needs --tokens, for every process of this machine can reach "
                         "it",
                         options->listen);
    if (!options->listen && options->tokens)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--tokens %s: is for --listen; who may use --socket is --socket-for",
                         options->tokens);
    if (options->beyond_loopback && !options->listen)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--beyond-loopback is for --listen");
    if (!options->socket && pail_option_given(call, "socket-for"))
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--socket-for is for --socket");
    return PAIL_OK;
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    struct pail_serve_options *const options = given;
    struct pail_call all = *call;
    json_t *config = NULL;
    pail_status status = PAIL_OK;
    if (options->config) {
        status = pail_config_read(&config, &all, options, options->config, "config", error);
        pail_verbosity_set(all.quiet, all.verbose);
    }
    if (status == PAIL_OK)
        status = check(options, &all, error);
    if (status == PAIL_OK)
        (void)pail_serve(options, error);
    json_decref(config);
}

const struct pail_command pail_serve_command = {
    .name = "serve",
    .summary = "a proving service over HTTP",
    .usage = "--keys FOLDER --socket PATH [OPTIONS]\n"
             "--keys FOLDER --listen 127.0.0.1:PORT --tokens FILE [OPTIONS]\n"
             "--config FILE [OPTIONS]",
    .text =
        "Accepts witnesses over HTTP, proves with the keys of a folder, and keeps the proofs "
        "to be fetched (--keep, --keep-for). Proofs are verified before they are delivered. "
        "Witnesses are only in memory, and are wiped.\n"
        "POST /prove?key=NAME submits a witness, or, as application/json, inputs of the circuit "
        "NAME.wasm beside NAME.zkey; GET /jobs/ID returns its state and proof. "
        "/status, /metrics and /keys describe the service, / is a status page, and /healthz, "
        "which needs no token, tells whether a key is ready.\n"
        "SIGTERM and SIGINT end it after its jobs, a second one at once. It logs to standard "
        "error.",
    .examples = "serve --keys keys --socket /run/user/1000/pail.sock\n"
                "serve --keys keys --listen 127.0.0.1:8080 --tokens tokens.txt",
    .parts = {{PAIL_PART(places)},
              {PAIL_SESSION_PART(struct pail_serve_options, session)},
              {PAIL_PART(devices)},
              {PAIL_PART(limits)},
              {PAIL_WITNESS_PART(struct pail_serve_options, limits)}},
    .once = true,
    .size = sizeof(struct pail_serve_options),
    .defaults = &defaults,
    .run = run,
};
