/* SPDX-License-Identifier: Apache-2.0 */
#include "container.h"

#include <formats/prime.h>

enum { COUNT_AT = 8 /* the number of sections in the file's header */ };

void container_open(struct container *container, const char *path)
{
    *container = (struct container){.out = fopen(path, "wb")};
    container->failed = container->out == NULL;
}

bool container_close(struct container *container)
{
    if (container->out != NULL && fclose(container->out) != 0)
        container->failed = true;
    return !container->failed;
}

void container_begin(struct container *container, const char *path, const char magic[4],
                     uint32_t version)
{
    container_open(container, path);
    container_bytes(container, magic, 4);
    container_u32(container, version);
    container_u32(container, 0);
}

static void end_section(struct container *container)
{
    if (container->failed || container->section_at == 0)
        return;
    const long end = ftell(container->out);
    if (end < 0 || fseek(container->out, container->section_at - 8, SEEK_SET) != 0)
        container->failed = true;
    container_u64(container, (uint64_t)(end - container->section_at));
    if (!container->failed && fseek(container->out, end, SEEK_SET) != 0)
        container->failed = true;
    container->section_at = 0;
}

void container_section(struct container *container, uint32_t type)
{
    end_section(container);
    container_u32(container, type);
    container_u64(container, 0);
    container->sections++;
    if (!container->failed)
        container->section_at = ftell(container->out);
}

void container_bytes(struct container *container, const void *bytes, size_t size)
{
    if (!container->failed && size != 0)
        container->failed = fwrite(bytes, 1, size, container->out) != size;
}

void container_u32(struct container *container, uint32_t value)
{
    uint8_t bytes[4];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    container_bytes(container, bytes, sizeof(bytes));
}

void container_u64(struct container *container, uint64_t value)
{
    container_u32(container, (uint32_t)value);
    container_u32(container, (uint32_t)(value >> 32));
}

static void write_prime(struct container *container, uint32_t curve, enum pail_prime prime)
{
    const size_t bytes = pail_prime_bytes(curve, prime);
    container_u32(container, (uint32_t)bytes);
    for (size_t i = 0; i < bytes / 8; i++)
        container_u64(container, pail_prime_limbs(curve, prime)[i]);
}

void container_base_prime(struct container *container, uint32_t curve)
{
    write_prime(container, curve, PAIL_PRIME_BASE);
}

void container_scalar_prime(struct container *container, uint32_t curve)
{
    write_prime(container, curve, PAIL_PRIME_SCALAR);
}

bool container_end(struct container *container)
{
    end_section(container);
    if (!container->failed && fseek(container->out, COUNT_AT, SEEK_SET) != 0)
        container->failed = true;
    container_u32(container, container->sections);
    return container_close(container);
}
