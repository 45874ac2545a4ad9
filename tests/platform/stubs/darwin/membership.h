/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_MEMBERSHIP_H
#define STUB_MEMBERSHIP_H
#include <sys/types.h>
#define ID_TYPE_UID 0
#define ID_TYPE_GID 1
int mbr_uuid_to_id(const unsigned char *uuid, id_t *id, int *kind);
#endif
