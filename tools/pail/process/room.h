/* A process that was given little room. */
#ifndef PAIL_TOOL_PROCESS_ROOM_H
#define PAIL_TOOL_PROCESS_ROOM_H

/* Calls run(argc, argv), where the stack of the process is limited to less than drivers need in a
 * thread with a larger one, and returns its exit status. A file that may not grow is an error of
 * writing, no signal. */
int pail_run_with_room(int (*run)(int argc, char **argv), int argc, char **argv);

#endif /* PAIL_TOOL_PROCESS_ROOM_H */
