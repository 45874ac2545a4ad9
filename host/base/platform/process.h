/* SPDX-License-Identifier: Apache-2.0 */
/* The process: its identity, environment, program, interrupts, and code that may not be unloaded.
 */
#ifndef PAIL_PLATFORM_PROCESS_H
#define PAIL_PLATFORM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Identity of the process: a child of fork has the memory of its parent, but none of its
 * threads. */

/* A number that is another one in a child of fork than in its parent; never 0. Costs a load. */
uint64_t pail_process(void);

/* True if this is the process that asked first. Each shared object asks for itself, so that one
 * that was loaded but not used before a fork can be used after it. In another process the parent's
 * objects are there, but not the threads, locks and devices behind them: nothing may be done with
 * them then, logging included. */
bool pail_process_is_first(void);

/* The sentence for callers in a child of fork. */
#define PAIL_PROCESS_FORKED                                                                        \
    "this process is a fork of the one that used Pail first: it may call exec or exit and "        \
    "nothing "                                                                                     \
    "of Pail"

/* ---- The environment, as far as it may be believed ------------------------------------------- */

/* The value of an environment variable, or NULL when it is not set. A process that has more rights
 * than the user who started it (AT_SECURE: set-user-ID, set-group-ID, file capabilities) sees none:
 * its environment is that user's. Every variable of Pail is read through this. */
const char *pail_env(const char *name);

/* ---- The start of each program of Pail's ----------------------------------------------------- */

/* Arguments in UTF-8, and standard streams that give bytes as they are. A write to a file that may
 * not grow is an error from now on, and no signal. To be called once, by main; what the arguments
 * become lives as long as the process. */
void pail_program_begin(int *argc, char ***argv);

/* Threads that others start without saying how large a stack they need, as drivers do, get at least
 * so many bytes, whatever the process's limit is. Where the system has no such default: nothing. */
void pail_program_thread_stack(unsigned long long bytes);

/* Bytes of stack that the first thread has; 0: without end, or it cannot be told. */
unsigned long long pail_program_stack(void);

/* The path of the program that this process runs; valid for good. "": it cannot be told. Not on
 * Windows. */
const char *pail_program_path(void);

/* ---- Ctrl-C, for commands that have something to end in order -------------------------------- */

/* Makes the first SIGINT or SIGTERM (on Windows: Ctrl-C or Ctrl-Break) set the number behind the
 * returned pointer to the signal's; the program polls it and ends. A second one, and one that
 * nobody has looked at for a second, end the process as they do by themselves. */
const uint32_t *pail_interrupt_watch(void);

/* For a program that has seen it and ends what may take longer than a second: only a second one
 * ends the process from now on. */
void pail_interrupt_hold(void);

/* Ends the process by the signal that came, for its parent to see; returns if none came. */
void pail_interrupt_leave(void);

/* ---- Code that may not go while something of it runs ----------------------------------------- */

/* Keeps the shared object that this is linked into in memory from the first pail_pin to the last
 * pail_unpin, whoever calls dlclose. If that was called meanwhile, the object goes with the first
 * dlclose, of anything, that comes after the last pail_unpin has returned. Costs a thread that
 * sleeps; where it cannot be had the object stays for good. Thread-safe. */
void pail_pin(void);
void pail_unpin(void);

/* Keeps the shared libraries that define a symbol, and what these need, loaded until the process
 * ends. For libraries that cannot be loaded any number of times: glibc has little memory for static
 * thread-local variables, and does not always get it back. Opens no file, and looks only at what is
 * loaded. Does nothing on macOS and Windows, which have no such limit. Thread-safe. */
void pail_keep_loaded(const char *symbol);

#endif /* PAIL_PLATFORM_PROCESS_H */
