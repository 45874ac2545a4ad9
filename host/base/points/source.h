/* SPDX-License-Identifier: Apache-2.0 */
/* The points that a caller registers, as both backends go through them: in the caller's memory, or
 * behind its reader, packed or with a stride, with or without infinity bytes.
 *
 * In memory a reader that copies stands for the caller's, so that there is one way; only what is
 * looked at without being kept is looked at where it is. */
#ifndef PAIL_POINTS_SOURCE_H
#define PAIL_POINTS_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <pail/backend.h>

/* Bytes that are read at a time: they stay in a processor's cache until they are used, and a call
 * of the system for each costs nothing beside them. */
#define PAIL_POINTS_BUFFER ((size_t)256 << 10)

struct pail_point_source {
    size_t n;
    size_t point_bytes, stride;
    size_t zero_from;      /* a point whose bytes from here on are 0 is infinity */
    size_t infinity_byte;  /* 1 + its offset; 0: none */
    const uint8_t *points; /* NULL: behind the reader */
    pail_read_points read;
    void *user;

    atomic_int status; /* pail_status of the first reading that failed */
    atomic_flag claimed;
    uint64_t failed_offset; /* place of that failure; valid once all readers have been joined */
    size_t failed_bytes;
};

/* A few points of a source. */
struct pail_point_view {
    const uint8_t *at;
    size_t point_bytes, stride, zero_from, infinity_byte;
};

/* Bytes of a point in a pail_encoding, with coordinates of so many. */
size_t pail_point_source_bytes(uint32_t encoding, size_t coordinate_bytes);

/* True if a description with a legal stride is of so few points that all offsets fit. */
bool pail_point_source_fits(const pail_bases_desc *desc, size_t coordinate_bytes);

/* In: desc: with a legal encoding, stride and infinity byte, and offsets that fit; what it points
 * to is used as long as the source. */
void pail_point_source_init(struct pail_point_source *source, const pail_bases_desc *desc,
                            size_t coordinate_bytes);

/* Most points that a view may have. At least 1. */
size_t pail_point_source_at_once(const struct pail_point_source *source);

/* Points first ... first + n - 1, n >= 1, read into buffer[PAIL_POINTS_BUFFER] or where they are.
 * Any thread, several at a time. PAIL_OK, or what the reader failed with. */
pail_status pail_point_source_view(struct pail_point_source *source, struct pail_point_view *view,
                                   size_t first, size_t n, void *buffer);

/* True if the bytes are nothing but points, one after the other. */
bool pail_point_source_is_packed(const struct pail_point_source *source);

/* Bytes offset ... offset + bytes - 1, as the caller has them, by one call of the reader; none once
 * one has failed. Otherwise as above. */
pail_status pail_point_source_read(struct pail_point_source *source, void *to, uint64_t offset,
                                   size_t bytes);

/* Status of the first reading that failed; PAIL_OK: none so far. Any thread. */
pail_status pail_point_source_status(struct pail_point_source *source);

/* Point i of a view. */
const uint8_t *pail_point_view_at(const struct pail_point_view *view, size_t i);

/* True if the point has an infinity byte, and it is set: its other bytes mean nothing then. */
bool pail_point_view_marked(const struct pail_point_view *view, size_t i);

/* True if the point is infinity: marked, or all of its bytes 0, of a Jacobian point those of z.
 * Exact in all encodings. */
bool pail_point_view_is_infinity(const struct pail_point_view *view, size_t i);

enum pail_point_defect {
    PAIL_POINT_NOT_BELOW_P, /* a coordinate */
    PAIL_POINT_OFF_CURVE,
    PAIL_POINT_NOT_IN_SUBGROUP
};

/* Facts of a bad point for the sentence of its refusal, such as "point 7 (x = 0x2a as given) is not
 * on bn254 g1". at: its bytes as the caller has them. group: a pail_group. */
struct pail_bad_point {
    size_t index;
    const uint8_t *at;
    size_t coordinate_bytes;
    uint32_t group;
    enum pail_point_defect defect;
    const char *curve_name, *group_name;
};
enum { PAIL_BAD_POINT_TEXT = 2 * PAIL_COORDINATE_MAX + 160 };
void pail_bad_point_text(char text[PAIL_BAD_POINT_TEXT], const struct pail_bad_point *bad);

#endif /* PAIL_POINTS_SOURCE_H */
