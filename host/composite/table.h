/* SPDX-License-Identifier: Apache-2.0 */
/* The table of several devices. */
#ifndef PAIL_COMPOSITE_TABLE_H
#define PAIL_COMPOSITE_TABLE_H

#include <pail/backend.h>

extern const pail_backend pail_composite_table;

#endif /* PAIL_COMPOSITE_TABLE_H */
