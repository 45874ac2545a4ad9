/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of Vulkan on one of several devices. The two sides of the boundary have a pail_context
 * each, so each has a file. */
#ifndef PAIL_TESTS_FAULT_DEVICES_FAULTS_H
#define PAIL_TESTS_FAULT_DEVICES_FAULTS_H

#include <stdbool.h>

#include <pail/backend.h>

/* The plugin's, which is linked in. */
pail_status pail_backend_open(const pail_host *host, const pail_backend **backend);

/* Calls that count from here on: at first all. A submission that fails is a device that is lost,
 * and another one takes a software driver ten seconds of compiling. */
enum devices_faults_of {
    DEVICES_FAULTS_OF_ALL,
    DEVICES_FAULTS_OF_SUBMISSIONS,
    DEVICES_FAULTS_OF_OTHERS
};
void devices_faults_choose(enum devices_faults_of of);

/* From here on functions of the device of the plugin's context fail that can: the at-th call, and
 * with `each` every at-th. at 0: none; calls are counted. */
void devices_faults_arm(pail_context *context, long at, bool each);
/* Calls that have been made since, and failed. */
long devices_faults_disarm(long *failed);

#endif /* PAIL_TESTS_FAULT_DEVICES_FAULTS_H */
