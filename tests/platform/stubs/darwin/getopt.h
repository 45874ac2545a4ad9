/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_GETOPT_H
#define STUB_GETOPT_H
struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};
#define no_argument       0
#define required_argument 1
extern char *optarg;
extern int optind, opterr, optopt;
int getopt_long(int argc, char *const *argv, const char *shorts, const struct option *longs,
                int *at);
#endif
