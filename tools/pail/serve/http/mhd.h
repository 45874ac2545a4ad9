/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd, loaded when it is needed: the other commands start without it and what it links.
 */
#ifndef PAIL_TOOL_SERVE_MHD_H
#define PAIL_TOOL_SERVE_MHD_H

#include <stdbool.h>

#include <microhttpd.h>

#include "error/error.h"

/* Older versions give a size for a request's head that is not the head's. */
#if MHD_VERSION < 0x00097400
#error "libmicrohttpd is older than 0.9.74"
#endif

/* Functions that are used: the type they return, their name without MHD_, their parameters. */
#define PAIL_MHD_FUNCTIONS(ROW)                                                                    \
    ROW(struct MHD_Daemon *, start_daemon,                                                         \
        (unsigned int, uint16_t, MHD_AcceptPolicyCallback, void *, MHD_AccessHandlerCallback,      \
         void *, ...))                                                                             \
    ROW(void, stop_daemon, (struct MHD_Daemon *))                                                  \
    ROW(MHD_socket, quiesce_daemon, (struct MHD_Daemon *))                                         \
    ROW(enum MHD_Result, queue_response,                                                           \
        (struct MHD_Connection *, unsigned int, struct MHD_Response *))                            \
    ROW(struct MHD_Response *, create_response_from_buffer,                                        \
        (size_t, void *, enum MHD_ResponseMemoryMode))                                             \
    ROW(enum MHD_Result, add_response_header, (struct MHD_Response *, const char *, const char *)) \
    ROW(void, destroy_response, (struct MHD_Response *))                                           \
    ROW(const char *, lookup_connection_value,                                                     \
        (struct MHD_Connection *, enum MHD_ValueKind, const char *))                               \
    ROW(int, get_connection_values,                                                                \
        (struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIterator, void *))               \
    ROW(void, suspend_connection, (struct MHD_Connection *))                                       \
    ROW(void, resume_connection, (struct MHD_Connection *))                                        \
    ROW(const union MHD_ConnectionInfo *, get_connection_info,                                     \
        (struct MHD_Connection *, enum MHD_ConnectionInfoType, ...))                               \
    ROW(const char *, get_version, (void))

#define PAIL_MHD_MEMBER(result, name, arguments) result(*name) arguments;
struct pail_mhd {
    PAIL_MHD_FUNCTIONS(PAIL_MHD_MEMBER)
    bool is_strict; /* from 1.0 on: it can refuse what framing.c refuses before */
};
/* The option for that, which older headers do not have, and its strictest level. */
#define PAIL_MHD_DISCIPLINE       ((enum MHD_OPTION)38)
#define PAIL_MHD_DISCIPLINE_LEVEL 3
#undef PAIL_MHD_MEMBER

/* Loads it, once. Returns PAIL_OK, or PAIL_ERR_UNSUPPORTED with a sentence. */
pail_status pail_mhd_load(const struct pail_mhd **mhd, struct pail_error *error);

#endif /* PAIL_TOOL_SERVE_MHD_H */
