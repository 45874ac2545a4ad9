/* The start of each program of Pail's. */
#ifndef PAIL_PLATFORM_PROGRAM_H
#define PAIL_PLATFORM_PROGRAM_H

/* Arguments in UTF-8, and standard streams that give bytes as they are. A write to a file that may
 * not grow is an error from now on, and no signal. To be called once, by main; what the arguments
 * become lives as long as the process. */
void pail_program_begin(int *argc, char ***argv);

/* Threads that others start without saying how large a stack they need, as drivers do, get at least
 * so many bytes, whatever the process's limit is. Where the system has no such default: nothing. */
void pail_program_thread_stack(unsigned long long bytes);

/* Bytes of stack that the first thread has; 0: without end, or it cannot be told. */
unsigned long long pail_program_stack(void);

#endif /* PAIL_PLATFORM_PROGRAM_H */
