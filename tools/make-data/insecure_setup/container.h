/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the container of iden3's tools (see formats/binfile.h), section by section. */
#ifndef PAIL_INSECURE_SETUP_CONTAINER_H
#define PAIL_INSECURE_SETUP_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct container {
    FILE *out;
    uint32_t sections;
    long section_at; /* the place at which the open section's payload begins; 0: none is open */
    bool failed;     /* something could not be written */
};

/* The same without a header, for files of other formats. The file is made, or replaced. */
void container_open(struct container *container, const char *path);
/* Returns true if everything was written. */
bool container_close(struct container *container);

/* The file is made, or replaced. */
void container_begin(struct container *container, const char *path, const char magic[4],
                     uint32_t version);
void container_section(struct container *container, uint32_t type); /* ends the one before */
void container_bytes(struct container *container, const void *bytes, size_t size);
void container_u32(struct container *container, uint32_t value);
void container_u64(struct container *container, uint64_t value);

/* u32 n8, prime[n8] of a curve (pail_curve). */
void container_base_prime(struct container *container, uint32_t curve);
void container_scalar_prime(struct container *container, uint32_t curve);

/* True if everything was written. */
bool container_end(struct container *container);

#endif /* PAIL_INSECURE_SETUP_CONTAINER_H */
