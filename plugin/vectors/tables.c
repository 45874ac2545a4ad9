/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include "field.h"

#include <string.h>

#include <curves/sums.h>
#include <curves/twiddles.h>
#include <shared/vector_layout.h>

#include "run.h"
#include "vk/staging.h"

/* Up to so many bits, powers are all there, and one is no product of two: 192 MiB. Up to HOST_BITS
 * the host makes them. */
#define WHOLE_BITS 22u
#define HOST_BITS  10u

/* Tables that nobody uses and that are kept all the same. */
#define KEPT 16u

/* Reserves a part for 2^bits powers, those that the host makes. */
static struct pail_powers reserve(uint64_t *n, uint32_t bits, uint32_t whole_bits)
{
    const bool whole = bits <= whole_bits;
    struct pail_powers powers = {.low = (uint32_t)*n, .bits = whole ? bits : (bits + 1) / 2};
    *n += UINT64_C(1) << powers.bits;
    if (!whole) {
        powers.high = (uint32_t)*n;
        *n += UINT64_C(1) << (bits - powers.bits);
    }
    return powers;
}

/* A part for all of them, where there may be so many, that the device makes. */
static void reserve_all(struct pail_powers *powers, struct pail_seed *seed, uint64_t *n,
                        uint32_t bits, uint32_t whole_bits)
{
    *powers = seed->by;
    if (!seed->by.high || bits > whole_bits)
        return;
    seed->first = (uint32_t)*n;
    seed->bits = bits;
    *powers = (struct pail_powers){.low = seed->first, .bits = bits};
    *n += UINT64_C(1) << bits;
}

static void lay_out(struct pail_table *table, uint32_t whole_bits)
{
    const struct pail_table_key *key = &table->key;
    const uint32_t scale_bits = !key->transform || key->shifted ? key->log_n : 0;
    uint32_t left = key->log_n, bits[PAIL_NTT_PASSES_MAX];
    table->inner_bits = 0;
    for (uint32_t i = 0; i < key->parts; i++)
        if (table->inner_bits < key->bits[i])
            table->inner_bits = key->bits[i];
    table->n = key->transform ? UINT64_C(1) << table->inner_bits : 1; /* no part begins at 0 */
    for (uint32_t i = 0; i + 1 < key->parts; i++) {
        bits[i] = left;
        table->twiddle_seeds[i].by = reserve(&table->n, left, HOST_BITS);
        left -= key->bits[i];
    }
    if (!key->transform) /* other numbers come each time: the fewest powers */
        table->scale_seed.by = reserve(&table->n, scale_bits, 0);
    else if (key->shifted || (key->inverse && key->parts == 1))
        table->scale_seed.by = reserve(&table->n, scale_bits, HOST_BITS);
    table->sent = table->n;
    for (uint32_t i = 0; i + 1 < key->parts; i++)
        reserve_all(&table->twiddles[i], &table->twiddle_seeds[i], &table->n, bits[i], whole_bits);
    reserve_all(&table->scales, &table->scale_seed, &table->n, scale_bits,
                key->transform ? whole_bits : 0);
}

/* Powers of base, the first of which is `first`. */
static void fill(const struct pail_table *table, const struct pail_curve_ops *ops, uint8_t *out,
                 const struct pail_powers *powers, uint32_t bits, const pail_u256 *first,
                 const pail_u256 *base)
{
    const enum pail_field_form form = (enum pail_field_form)table->key.form;
    const uint64_t bytes = pail_scalar_table_bytes(form);
    const pail_u256 one = pail_scalar_of(1);
    pail_scalar_powers(ops, form, out + bytes * powers->low, UINT64_C(1) << powers->bits, first,
                       base);
    if (!powers->high)
        return;
    const pail_u256 step = pail_scalar_square_times(ops, base, powers->bits);
    pail_scalar_powers(ops, form, out + bytes * powers->high, UINT64_C(1) << (bits - powers->bits),
                       &one, &step);
}

static void fill_all(const struct pail_table *table, const struct pail_curve_ops *ops, uint8_t *out)
{
    const struct pail_table_key *key = &table->key;
    const pail_u256 one = pail_scalar_of(1);
    if (!key->transform) {
        fill(table, ops, out, &table->scale_seed.by, key->log_n, &key->scale, &key->shift);
        return;
    }
    pail_u256 root = key->root, shift = key->shift, per_n = one;
    if (key->inverse) {
        root = pail_scalar_inverse(ops, &root);
        shift = pail_scalar_inverse(ops, &shift);
        const pail_u256 two = pail_scalar_of(2), half = pail_scalar_inverse(ops, &two);
        for (uint32_t i = 0; i < key->log_n; i++)
            ops->scalar_mul(&per_n, &per_n, &half);
    }
    const pail_u256 inner = pail_scalar_square_times(ops, &root, key->log_n - table->inner_bits);
    pail_scalar_powers(ops, (enum pail_field_form)key->form, out, UINT64_C(1) << table->inner_bits,
                       &one, &inner);
    uint32_t left = key->log_n;
    for (uint32_t i = 0; i + 1 < key->parts; i++) {
        const pail_u256 base = pail_scalar_square_times(ops, &root, key->log_n - left);
        fill(table, ops, out, &table->twiddle_seeds[i].by, left, i == 0 ? &per_n : &one, &base);
        left -= key->bits[i];
    }
    if (table->scale_seed.by.low)
        fill(table, ops, out, &table->scale_seed.by, key->shifted ? key->log_n : 0,
             key->parts == 1 ? &per_n : &one, &shift);
}

struct pail_vk_pipeline_request pail_table_request(uint32_t curve, enum pail_field_form form)
{
    return (struct pail_vk_pipeline_request){.kernel = PAIL_KERNEL_NTT_TABLE,
                                             .variant = {.curve = curve, .field = form}};
}

static void add_seed(struct pail_field_steps *s, const struct pail_table *table,
                     const struct pail_seed *seed)
{
    if (seed->bits == 0)
        return;
    const uint64_t n = UINT64_C(1) << seed->bits;
    const struct pail_vk_slice all = pail_vk_buffer_slice(&table->buffer, 0, table->buffer.size);
    const struct pail_vk_pipeline_request request =
        pail_table_request(table->key.curve, (enum pail_field_form)table->key.form);
    const struct ntt_table_push push = {
        .n = (uint32_t)n,
        .low = seed->by.low,
        .high = seed->by.high,
        .low_bits = seed->by.bits,
        .first = seed->first,
    };
    struct pail_vk_dispatch d = {
        .request = &request,
        .push = &push,
        .work = {.kind = PAIL_VK_WORDS, .units = 64.0 * (double)n},
        .bindings = {{pail_field_region(s, &all), 0, all.size}},
    };
    pail_vk_grid(n, VECTOR_WORKGROUP, d.grid);
    pail_vk_steps_dispatch(&s->list, &d);
}

/* Has the device grow the table from the seeds that the host sent. */
static pail_status grow_seeds(struct pail_vectors *field, const struct pail_table *table,
                              struct pail_error *err)
{
    struct pail_field_steps s;
    pail_field_steps_init(&s, field);
    s.list.phase = "powers";
    for (uint32_t i = 0; i < PAIL_NTT_PASSES_MAX; i++)
        add_seed(&s, table, &table->twiddle_seeds[i]);
    add_seed(&s, table, &table->scale_seed);
    const bool any = s.n_regions || s.list.failed != PAIL_OK;
    const pail_status status = any ? pail_field_run(&s, err) : PAIL_OK;
    pail_field_steps_fini(&s);
    return status;
}

/* Makes a buffer for all powers; or, where there is no room for them, for the fewest. */
static pail_status make_buffer(struct pail_vectors *field, struct pail_table *table,
                               struct pail_error *err)
{
    const uint64_t one = pail_scalar_table_bytes((enum pail_field_form)table->key.form);
    const struct pail_table empty = *table;
    lay_out(table, WHOLE_BITS);
    if (one * table->n <= pail_vk_device_caps(field->dev)->max_storage_range) {
        const pail_status status =
            pail_field_buffer(field, &table->buffer, one * table->n, "powers", err);
        if (status != PAIL_ERR_DEVICE_MEMORY || table->n == table->sent)
            return status;
    }
    *table = empty;
    lay_out(table, 0);
    return pail_field_buffer(field, &table->buffer, one * table->n, "powers", err);
}

static pail_status send(struct pail_vectors *field, const struct pail_table *table,
                        struct pail_error *err)
{
    const uint64_t bytes =
        table->sent * pail_scalar_table_bytes((enum pail_field_form)table->key.form);
    uint8_t *elements = pail_calloc(&field->alloc, 1, (size_t)bytes);
    if (!elements)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %llu powers",
                         (unsigned long long)table->sent);
    const struct pail_vk_slice all = pail_vk_buffer_slice(&table->buffer, 0, table->buffer.size);
    fill_all(table, pail_curve_ops(table->key.curve, PAIL_G1), elements);
    pail_vk_ticket sent;
    pail_status status = pail_vk_upload(field->dev, &all, 0, elements, bytes, &sent, err);
    /* The table may be gone before anything uses it. */
    if (status == PAIL_OK)
        status = pail_vk_wait(field->dev, sent, PAIL_VK_FOREVER, err);
    if (status == PAIL_OK)
        status = grow_seeds(field, table, err);
    if (status != PAIL_OK)
        (void)pail_vk_wait(field->dev, pail_vk_last_ticket(field->dev, PAIL_VK_QUEUE_MAIN),
                           PAIL_VK_FOREVER, NULL);
    pail_free(&field->alloc, elements);
    return status;
}

/* Makes twiddles of points, or constants of a truncation, all by the host, within start: twiddles
 * take a millisecond for 2^12, and more than 100 for 2^19; constants grow with the square. */
static pail_status make_twiddles(struct pail_vectors *field, struct pail_table *table,
                                 struct pail_error *err)
{
    const struct pail_table_key *key = &table->key;
    const struct pail_curve_ops *ops = pail_curve_ops(key->curve, PAIL_G1);
    const bool truncates = key->points == 2;
    const char *const name = truncates ? "constants" : "twiddles";
    const uint64_t half = (POINTS_TWIDDLE_WORDS * sizeof(uint32_t)) << key->log_n,
                   bytes = truncates ? pail_truncation_bytes(key->log_n) : 2 * half;
    uint32_t *words = pail_calloc(&field->alloc, 1, (size_t)bytes);
    pail_vk_ticket sent;
    if (!words)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for %s of 2^%u points", name,
                         key->log_n);
    pail_status status = pail_field_buffer(field, &table->buffer, bytes, name, err);
    if (status == PAIL_OK &&
        !(truncates ? pail_truncation_make(words, ops, key->log_n, &key->root)
                    : pail_twiddles_make(words, words + half / sizeof(*words), ops, key->log_n,
                                         key->inverse, &key->root, &key->shift)))
        status = pail_fail(err, PAIL_ERR_INTERNAL, "%s of %s do not fit their digits", name,
                           ops->curve_name);
    if (status == PAIL_OK) {
        const struct pail_vk_slice all = pail_vk_buffer_slice(&table->buffer, 0, bytes);
        status = pail_vk_upload(field->dev, &all, 0, words, bytes, &sent, err);
    }
    if (status == PAIL_OK)
        status = pail_vk_wait(field->dev, sent, PAIL_VK_FOREVER, err);
    pail_free(&field->alloc, words);
    return status;
}

static pail_status make(struct pail_vectors *field, struct pail_table **out,
                        const struct pail_table_key *key, struct pail_error *err)
{
    struct pail_table *table = pail_calloc(&field->alloc, 1, sizeof(*table));
    if (!table)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a table of powers");
    table->key = *key;
    pail_status status =
        key->points ? make_twiddles(field, table, err) : make_buffer(field, table, err);
    if (status == PAIL_OK && !key->points)
        status = send(field, table, err);
    if (status != PAIL_OK) {
        pail_vk_buffer_destroy(field->dev, &table->buffer);
        pail_free(&field->alloc, table);
        return status;
    }
    *out = table;
    return PAIL_OK;
}

/* Called with the lock held: frees all that nobody uses but the first `kept`. */
static void keep(struct pail_vectors *field, struct pail_tables *tables, uint32_t kept)
{
    struct pail_table **at = &tables->first;
    while (*at) {
        struct pail_table *table = *at;
        if (table->users || kept) {
            kept -= !table->users;
            at = &table->next;
            continue;
        }
        *at = table->next;
        pail_vk_buffer_destroy(field->dev, &table->buffer);
        pail_free(&field->alloc, table);
    }
}

/* Called with the lock held. */
static struct pail_table *find(struct pail_tables *tables, const struct pail_table_key *key)
{
    for (struct pail_table **at = &tables->first; *at; at = &(*at)->next) {
        struct pail_table *table = *at;
        if (memcmp(&table->key, key, sizeof(*key)) != 0)
            continue;
        *at = table->next;
        table->next = tables->first;
        tables->first = table;
        table->users++;
        return table;
    }
    return NULL;
}

pail_status pail_table_take(struct pail_vectors *field, struct pail_tables *tables,
                            struct pail_table **out, const struct pail_table_key *key,
                            struct pail_error *err)
{
    struct pail_table *made = NULL;
    pthread_mutex_lock(&tables->lock);
    *out = find(tables, key);
    pthread_mutex_unlock(&tables->lock);
    if (*out)
        return PAIL_OK;
    const pail_status status = make(field, &made, key, err);
    if (status != PAIL_OK)
        return status;
    made->users = 1;
    /* Another thread may have made the same one meanwhile: both are right, and one will go. */
    pthread_mutex_lock(&tables->lock);
    made->next = tables->first;
    tables->first = made;
    pthread_mutex_unlock(&tables->lock);
    *out = made;
    return PAIL_OK;
}

void pail_table_give(struct pail_vectors *field, struct pail_tables *tables,
                     struct pail_table *table)
{
    if (!table)
        return;
    pthread_mutex_lock(&tables->lock);
    table->users--;
    keep(field, tables, KEPT);
    pthread_mutex_unlock(&tables->lock);
}

void pail_tables_trim(struct pail_vectors *field, struct pail_tables *tables)
{
    pthread_mutex_lock(&tables->lock);
    keep(field, tables, 0);
    pthread_mutex_unlock(&tables->lock);
}
