/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_DARWIN_MMAN_H
#define PAIL_DARWIN_MMAN_H

#include_next <sys/mman.h>

/* Neither is there: large pages are for who asks the kernel for memory by its own calls, and a
 * program says whether it is dumped, not a block of memory. */
#define MADV_HUGEPAGE MADV_NORMAL
#define MADV_DONTDUMP MADV_NORMAL

#endif
