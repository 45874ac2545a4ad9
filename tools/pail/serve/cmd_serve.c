/* `pail serve`: proofs for whoever asks over a socket. */
#include "commands.h"
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
    {PAIL_FILE(OF, keys, "keys", "FOLDER",
               "the keys: files NAME.zkey of this folder, and no others; SIGHUP looks again"),
     .not_empty = true},
    {PAIL_FILE(OF, socket, "socket", "PATH", "listen on a socket in the file system"),
     .not_empty = true},
    {PAIL_NAME(OF, socket_for, "socket-for", "WHO", "who may connect to it"), .values = for_names},
    {PAIL_TEXT(OF, listen, "listen", "ADDRESS",
               "listen on 127.0.0.1:PORT or [::1]:PORT; needs --tokens"),
     .not_empty = true},
    {PAIL_FILE(OF, tokens, "tokens", "FILE",
               "a bearer token in each line, for --listen; SIGHUP reads it again"),
     .not_empty = true},
};

static const struct pail_option devices[] = {
    {PAIL_CUSTOM(store_also, "also", "D", "a further device: " PAIL_HELP_DEVICE), .many = true},
    {PAIL_FLAG(OF, no_spare, "no-spare", "do not go on on the CPU when every device is lost")},
    {PAIL_U32(OF, inflight, "inflight", "N", "slots of each device"), .min = 1, .max = 64},
    {PAIL_U32(OF, share, "share", "K", PAIL_HELP_SHARE), .max = 16},
    {PAIL_U32(OF, producers, "producers", "N", "threads that check witnesses"), .min = 1,
     .max = 1024},
    {PAIL_U32(OF, host_threads, "host-threads", "N", "threads that finish proofs"), .min = 1,
     .max = 1024},
    {PAIL_U32(OF, host_bucket_mb, "host-bucket-mb", "MIB",
              "scratch of the threads of a multiplication on the host; 0: half of the L3 caches"),
     .max = 1 << 20},
    {PAIL_U64(OF, mem_budget, "mem-budget", "MIB",
              "memory of the host that proofs may reserve; 0: what there is"),
     .max = 1 << 30},
    {PAIL_U64(OF, vram_budget, "vram-budget", "MIB", "the same of each device's memory"),
     .max = 1 << 30},
    {PAIL_NAME(OF, residency, "residency", "R", "where the points of keys are kept"),
     .values = pail_residency_names},
    {PAIL_U32(OF, table_factor, "table-factor", "F", "copies of each point, made beforehand")},
    {PAIL_NAME(OF, b2, "b2", "W", PAIL_HELP_B2 "; auto: as pail prove --repeat has measured it"),
     .values = pail_b2_names},
    {PAIL_NAME(OF, validation, "validation", "V", "of the points of keys"),
     .values = pail_validation_names},
};

static const struct pail_option limits[] = {
    {PAIL_U32(OF, queue, "queue", "N", "jobs that have not ended; more are answered with 503"),
     .min = 1, .max = 65535},
    {PAIL_U64(OF, witness_mib, "witness-mib", "MIB", "memory of all witnesses"), .min = 1,
     .max = 1 << 30},
    {PAIL_U32(OF, keep, "keep", "N", "results that are kept to be fetched"), .min = 1,
     .max = 100000},
    {PAIL_U64(OF, keep_s, "keep-for", "S", "seconds that a result is kept"), .min = 1,
     .max = 1000000},
    {PAIL_U32(OF, connections, "connections", "N", "connections to each socket"), .min = 1,
     .max = 10000},
    {PAIL_U64(OF, request_s, "request-timeout", "S",
              "seconds that a client has to send a request, and to take an answer"),
     .min = 1, .max = 86400},
    {PAIL_U64(OF, drain_s, "drain-timeout", "S",
              "seconds that jobs have to end after SIGTERM, before they are cancelled"),
     .max = 86400},
    {PAIL_U64(OF, linger_s, "linger", "S",
              "seconds that results can be fetched after that, at most"),
     .max = 86400},
    {PAIL_FLAG(OF, no_check, "no-check", "do not verify proofs")},
    {PAIL_FLAG(OF, verbose, "verbose", PAIL_HELP_VERBOSE)},
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
                                                   .linger_s = 5};

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct pail_serve_options *const options = given;
    if (options->keys == NULL)
        (void)pail_fail(error, PAIL_ERR_ARGUMENT, "--keys is missing");
    else if (options->socket == NULL && options->listen == NULL)
        (void)pail_fail(error, PAIL_ERR_ARGUMENT, "neither --socket nor --listen is given");
    else if (options->listen != NULL && options->tokens == NULL)
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "--listen %s: needs --tokens, for every process of this machine can reach "
                        "it",
                        options->listen);
    else if (options->listen == NULL && options->tokens != NULL)
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "--tokens %s: is for --listen; who may use --socket is --socket-for",
                        options->tokens);
    else if (options->socket == NULL && pail_option_given(call, "socket-for"))
        (void)pail_fail(error, PAIL_ERR_ARGUMENT, "--socket-for is for --socket");
    else
        (void)pail_serve(options, error);
}

const struct pail_command pail_serve_command = {
    .name = "serve",
    .summary = "a service that proves for others, over a socket",
    .usage = "--keys FOLDER --socket PATH [OPTIONS]\n"
             "--keys FOLDER --listen 127.0.0.1:PORT --tokens FILE [OPTIONS]",
    .text = "Takes witnesses over HTTP, proves them with the keys of a folder, and keeps the "
            "proofs to be fetched. Proofs are verified before they are delivered. Witnesses are "
            "in memory alone, and are wiped.\n"
            "POST /prove?key=NAME takes a witness, GET /jobs/ID tells what came of it, /status, "
            "/metrics and /keys tell the rest, and / shows it in a browser.\n"
            "SIGTERM and SIGINT end it when its jobs have ended, a second one at once. What "
            "happens is told on standard error, a line each.",
    .parts = {{PAIL_PART(places)},
              {PAIL_SESSION_PART(struct pail_serve_options, session)},
              {PAIL_PART(devices)},
              {PAIL_PART(limits)}},
    .once = true,
    .size = sizeof(struct pail_serve_options),
    .defaults = &defaults,
    .run = run,
};
