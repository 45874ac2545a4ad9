/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the system that fail, are interrupted, do less than was asked, or are recorded. A
 * program that has syscalls.c among its sources calls these functions in place of the C library's;
 * as a library it does the same to a program by LD_PRELOAD, told by the environment:
 *
 *   PAIL_TEST_CALLS        fail, interrupt, shorten, or kill: the process, in place of the call
 *   PAIL_TEST_CALLS_CHANGES if set, only calls that change files are counted
 *   PAIL_TEST_CALLS_AT     the number of the call, from 1 on; 0: none, they are only counted
 *   PAIL_TEST_CALLS_LAST   if set, that call and all after it
 *   PAIL_TEST_CALLS_COUNT  a file for how many calls there were
 *   PAIL_TEST_CALLS_OF     a part of the file name of programs and libraries whose calls count
 *   PAIL_TEST_NO_LINKS     the number of the error that each linkat ends with, as where a security
 *                          policy forbids it
 *
 * What the C library calls itself (opendir, fopen) is not seen. */
#ifndef PAIL_TESTS_SYSCALLS_H
#define PAIL_TESTS_SYSCALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum syscall_kind {
    CALL_OPEN,
    CALL_READ,
    CALL_WRITE,
    CALL_SYNC,
    CALL_RENAME,
    CALL_UNLINK,
    CALL_TRUNCATE,
    CALL_MAP,
    CALL_LOCK,
    CALL_THREAD,
    CALL_STAT, /* these two in a library alone */
    CALL_FOLDER,
    CALL_KINDS
};

enum syscall_mode {
    CALLS_PASS,
    CALLS_FAIL,      /* the one of number `at`, or all from it on */
    CALLS_INTERRUPT, /* every second that may be interrupted, with EINTR */
    CALLS_SHORTEN,   /* each reads or writes a part of what it was asked to */
    CALLS_KILL       /* the process is killed in place of the one of number `at` */
};

/* A call that has been made, for who records. */
struct syscall_seen {
    enum syscall_kind kind;
    int fd;                /* the result of an open; of the folder for names */
    const char *name, *to; /* for an open, rename, link or unlink */
    int flags;             /* for an open */
    const void *bytes;     /* for a write */
    size_t n;
    off_t offset;
};

struct syscalls {
    enum syscall_mode mode;
    unsigned long at;
    bool lasting, changes; /* changes: those alone count that change files */
    atomic_ulong count;
    const char *object; /* a part of the name of the file whose calls count; NULL: all count */
    int no_links;       /* the error of each linkat; 0: none */
    void (*seen)(const struct syscall_seen *call);
};

extern struct syscalls syscalls;

/* Begins to count anew; CALLS_PASS ends it, and the count stays. */
void syscalls_arm(enum syscall_mode mode, unsigned long at, bool lasting);

#endif /* PAIL_TESTS_SYSCALLS_H */
