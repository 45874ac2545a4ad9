#include "spare.h"

#include <platform/team.h>
#include <platform/wipe.h>
#include <string.h>

#define PIECE_BYTES ((size_t)8 << 20) /* by one thread at a time */

struct piece {
    uint8_t *to;
    const uint8_t *from;
    size_t bytes;
};

static size_t piece_bytes(const struct piece *all, size_t at)
{
    return all->bytes - at < PIECE_BYTES ? all->bytes - at : PIECE_BYTES;
}

static void copy_piece(void *user, uint32_t i)
{
    const struct piece *const all = user;
    const size_t at = i * PIECE_BYTES;
    (void)memcpy(all->to + at, all->from + at, piece_bytes(all, at));
}

static void wipe_piece(void *user, uint32_t i)
{
    const struct piece *const all = user;
    const size_t at = i * PIECE_BYTES;
    pail_wipe(all->to + at, piece_bytes(all, at));
}

static uint32_t pieces(size_t bytes)
{
    return (uint32_t)((bytes + PIECE_BYTES - 1) / PIECE_BYTES);
}

uint8_t *pail_composite_spare_make(const struct pail_cpu_memory *memory, const uint8_t *scalars,
                                   size_t bytes, uint32_t threads)
{
    uint8_t *const spare = pail_cpu_alloc(memory, 1, bytes);
    struct piece all = {spare, scalars, bytes};
    if (spare != NULL)
        pail_team_run(pieces(bytes), threads, copy_piece, &all);
    return spare;
}

void pail_composite_spare_free(const struct pail_cpu_memory *memory, uint8_t *spare, size_t bytes,
                               bool secret, uint32_t threads)
{
    struct piece all = {spare, NULL, bytes};
    if (secret && spare != NULL)
        pail_team_run(pieces(bytes), threads, wipe_piece, &all);
    pail_cpu_free(memory, spare);
}
