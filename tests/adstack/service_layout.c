/* SPDX-License-Identifier: Apache-2.0 */
/* From capacities to offsets, strides, bytes and metadata. */

#include <adstack/desc.h>
#include <adstack/layout.h>

#include "support/test.h"

static pail_stack_desc stack_of(uint32_t heap, uint32_t element, uint32_t header,
                                uint32_t alignment, uint32_t copies)
{
    return (pail_stack_desc)SIZED(pail_stack_desc, .heap = heap, .element_bytes = element,
                                  .copies = copies, .header_bytes = header, .alignment = alignment);
}

PAIL_TEST(elements_of_4_bytes)
{
    const pail_stack_desc stacks[] = {stack_of(PAIL_HEAP_FLOAT, 4, 0, 0, 2),
                                      stack_of(PAIL_HEAP_INT, 4, 0, 0, 1),
                                      stack_of(PAIL_HEAP_FLOAT, 4, 0, 0, 2)};
    const pail_task_desc task = {.stacks = stacks, .n_stacks = 3, .flags = PAIL_TASK_ELEMENT_UNITS};
    const int64_t raw[] = {5, 3, 2};
    const uint32_t expected[] = {14, 3, 0, 5, 0, 3, 10, 2, 0};
    struct pail_ad_place places[3];
    uint64_t stride[2], heap[2];
    uint32_t words[9];
    struct pail_error err;
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 0", &err), PAIL_OK);
    assert_int_equal(pail_ad_metadata(words, task.flags, places, 3, stride, 0, &err), PAIL_OK);
    assert_memory_equal(words, expected, sizeof(words));
    pail_task_launch launch = {.struct_size = sizeof(pail_task_launch), .threads = 1000};
    assert_int_equal(pail_ad_heaps(heap, stride, &launch, NULL, "task 0", &err), PAIL_OK);
    assert_int_equal(heap[PAIL_HEAP_FLOAT], 56000);
    assert_int_equal(heap[PAIL_HEAP_INT], 12000);
    launch.flags = PAIL_TASK_LAUNCH_GATED;
    launch.gated_rows = 10; /* rows of the float heap alone */
    assert_int_equal(pail_ad_heaps(heap, stride, &launch, NULL, "task 0", &err), PAIL_OK);
    assert_int_equal(heap[PAIL_HEAP_FLOAT], 560);
    assert_int_equal(heap[PAIL_HEAP_INT], 12000);
    launch.gated_rows = 0;
    assert_int_equal(pail_ad_heaps(heap, stride, &launch, NULL, "task 0", &err), PAIL_OK);
    assert_int_equal(heap[PAIL_HEAP_FLOAT], 0);
}

PAIL_TEST(bytes_with_headers)
{
    const pail_stack_desc stacks[] = {
        stack_of(PAIL_HEAP_FLOAT, 4, 8, 8, 2), stack_of(PAIL_HEAP_INT, 4, 8, 8, 2),
        stack_of(PAIL_HEAP_FLOAT, 4, 8, 8, 2), stack_of(PAIL_HEAP_INT, 1, 8, 8, 2)};
    const pail_task_desc task = {.stacks = stacks, .n_stacks = 4};
    const int64_t raw[] = {5, 3, 2, 3};
    const uint64_t offsets[] = {0, 0, 48, 32};
    struct pail_ad_place places[4];
    uint64_t stride[2];
    struct pail_error err;
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 0", &err), PAIL_OK);
    assert_int_equal(stride[PAIL_HEAP_FLOAT], 72);
    assert_int_equal(stride[PAIL_HEAP_INT], 48);
    for (int i = 0; i < 4; i++)
        assert_int_equal(places[i].offset, offsets[i]);
}

/* The metadata that kernels of LLVM read: strides, offsets, capacities, of 64 bits each. */
PAIL_TEST(wide_metadata)
{
    static const int64_t many = INT64_C(5) << 40;
    const pail_stack_desc stacks[] = {
        stack_of(PAIL_HEAP_FLOAT, 4, 8, 8, 2), stack_of(PAIL_HEAP_INT, 4, 8, 8, 2),
        stack_of(PAIL_HEAP_FLOAT, 8, 8, 8, 2), stack_of(PAIL_HEAP_INT, 1, 8, 8, 2)};
    const struct {
        uint32_t flags;
        int64_t raw[4];
        uint64_t expected[10];
    } rows[] = {
        {0, {5, 3, 2, 3}, {88, 48, 0, 0, 48, 32, 5, 3, 2, 3}},
        {PAIL_TASK_ELEMENT_UNITS, {5, 3, 2, 3}, {22, 12, 0, 0, 12, 8, 5, 3, 2, 3}},
        {0,
         {many, 1, 1, many},
         {8 * (uint64_t)many + 32, 2 * (uint64_t)many + 24, 0, 0, 8 * (uint64_t)many + 8, 16,
          (uint64_t)many, 1, 1, (uint64_t)many}},
    };
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        const uint32_t flags = rows[k].flags | PAIL_TASK_WIDE_METADATA;
        const pail_task_desc task = {.stacks = stacks, .n_stacks = 4, .flags = flags};
        struct pail_ad_place places[4];
        uint64_t stride[2], numbers[10];
        uint32_t words[21];
        struct pail_error err;
        memset(words, 0xa5, sizeof(words));
        assert_int_equal(pail_ad_layout(places, stride, &task, rows[k].raw, "", &err), PAIL_OK);
        assert_int_equal(pail_ad_metadata(words, flags, places, 4, stride, 0, &err), PAIL_OK);
        assert_int_equal(pail_ad_metadata_words(flags, 4), 20);
        assert_int_equal(words[20], 0xa5a5a5a5);
        memcpy(numbers, words, sizeof(numbers));
        for (size_t i = 0; i < 10; i++)
            assert_int_equal(numbers[i], rows[k].expected[i]);
        for (size_t i = 0; i < 4; i++) {
            assert_int_equal(pail_ad_metadata_at(words, flags, 4, 2 + 2 * i), numbers[2 + i]);
            assert_int_equal(pail_ad_metadata_at(words, flags, 4, 3 + 2 * i), numbers[6 + i]);
        }
    }
}

PAIL_TEST(capacities)
{
    pail_stack_desc stacks[] = {stack_of(PAIL_HEAP_INT, 1, 0, 0, 1),
                                stack_of(PAIL_HEAP_INT, 1, 0, 0, 1),
                                stack_of(PAIL_HEAP_INT, 1, 0, 0, 1)};
    stacks[2].static_capacity = 9;
    const pail_task_desc task = {.stacks = stacks, .n_stacks = 3};
    const int64_t raw[] = {0, INT64_MIN, 1000};
    struct pail_ad_place places[3];
    uint64_t stride[2];
    struct pail_error err;
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 0", &err), PAIL_OK);
    assert_int_equal(places[0].capacity, 1);
    assert_int_equal(places[1].capacity, 1);
    assert_int_equal(places[2].capacity, 9);
    assert_int_equal(stride[PAIL_HEAP_INT], 11);
}

/* A stack that counts rows takes no memory, and its number is that of the float heap. */
PAIL_TEST(counted_rows)
{
    const pail_stack_desc stacks[] = {stack_of(PAIL_HEAP_FLOAT, 4, 0, 0, 2),
                                      stack_of(PAIL_HEAP_INT, 4, 0, 0, 1),
                                      stack_of(PAIL_HEAP_ROWS, 0, 0, 0, 0)};
    const pail_task_desc task = {.stacks = stacks, .n_stacks = 3};
    const struct {
        int64_t raw;
        uint64_t rows;
    } counts[] = {{7, 7}, {0, 0}, {-1, 0}, {INT64_MIN, 0}, {INT64_MAX / 40, INT64_MAX / 40}};
    assert_int_equal(pail_ad_n_placed(&task), 2);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const int64_t raw[] = {5, 3, counts[i].raw};
        pail_task_launch launch = {.struct_size = sizeof(pail_task_launch), .threads = 100};
        struct pail_ad_place places[3];
        uint64_t stride[2], heap[2];
        struct pail_error err;
        assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 0", &err), PAIL_OK);
        assert_int_equal(places[2].capacity, counts[i].rows);
        assert_int_equal(stride[PAIL_HEAP_FLOAT], 40);
        assert_int_equal(pail_ad_heaps(heap, stride, &launch, &places[2], "task 0", &err), PAIL_OK);
        assert_int_equal(heap[PAIL_HEAP_FLOAT], 40 * counts[i].rows);
        assert_int_equal(heap[PAIL_HEAP_INT], 12 * 100);
        launch.flags = PAIL_TASK_LAUNCH_GATED;
        launch.gated_rows = 3; /* the caller's number comes first */
        assert_int_equal(pail_ad_heaps(heap, stride, &launch, &places[2], "task 0", &err), PAIL_OK);
        assert_int_equal(heap[PAIL_HEAP_FLOAT], 120);
    }
}

/* Whatever does not fit is said, with its place; nothing wraps. */
PAIL_TEST(sizes_beyond_64_bits)
{
    pail_stack_desc stacks[] = {stack_of(PAIL_HEAP_INT, 4, 0, 0, 1),
                                stack_of(PAIL_HEAP_INT, 4, 0, 0, 2)};
    const pail_task_desc task = {.stacks = stacks, .n_stacks = 2};
    const int64_t raw[] = {1, INT64_MAX};
    struct pail_ad_place places[2];
    uint64_t stride[2], heap[2];
    struct pail_error err;
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 7", &err), PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "task 7, stack 1"));
    assert_non_null(strstr(err.text, "9223372036854775807"));
    stacks[1].element_bytes = 1; /* 2^64 - 2 bytes: with the first stack beyond, alone not */
    stacks[0].element_bytes = 1;
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 7", &err), PAIL_OK);
    assert_int_equal(stride[PAIL_HEAP_INT], UINT64_MAX);
    stacks[0].header_bytes = 1;
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 7", &err), PAIL_ERR_DATA);
    stacks[0].header_bytes = 0;
    stacks[1].alignment = 8; /* and rounding up */
    assert_int_equal(pail_ad_layout(places, stride, &task, raw, "task 7", &err), PAIL_ERR_DATA);
    const pail_task_launch launch = {.struct_size = sizeof(pail_task_launch), .threads = 3};
    stride[PAIL_HEAP_INT] = UINT64_MAX / 2;
    assert_int_equal(pail_ad_heaps(heap, stride, &launch, NULL, "task 7", &err), PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "task 7"));
    assert_non_null(strstr(err.text, "int heap"));

    uint32_t words[5];
    places[0] = (struct pail_ad_place){UINT64_C(1) << 32, 0, 0};
    stride[PAIL_HEAP_FLOAT] = stride[PAIL_HEAP_INT] = 4;
    assert_int_equal(pail_ad_metadata(words, 0, places, 1, stride, 7, &err), PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "task 7, stack 0: the capacity of 4294967296"));
    places[0] = (struct pail_ad_place){1, UINT64_C(1) << 33, 0};
    assert_int_equal(pail_ad_metadata(words, 0, places, 1, stride, 7, &err), PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "the offset of 8589934592"));
    places[0].offset = (UINT64_C(1) << 34) - 4; /* fits in elements */
    assert_int_equal(pail_ad_metadata(words, PAIL_TASK_ELEMENT_UNITS, places, 1, stride, 7, &err),
                     PAIL_OK);
    assert_int_equal(words[2], UINT32_MAX);
    stride[PAIL_HEAP_FLOAT] = UINT64_C(1) << 32;
    assert_int_equal(pail_ad_metadata(words, 0, places, 1, stride, 7, &err), PAIL_ERR_DATA);
    assert_non_null(strstr(err.text, "task 7: the float stride of 4294967296"));
}

PAIL_TEST(heaps_grow_by_doubling)
{
    assert_int_equal(pail_ad_grow(100, 99), 100);
    assert_int_equal(pail_ad_grow(100, 100), 100);
    assert_int_equal(pail_ad_grow(100, 101), 200);
    assert_int_equal(pail_ad_grow(100, 300), 300);
    assert_int_equal(pail_ad_grow(0, 7), 7);
    assert_int_equal(pail_ad_grow(0, 0), 0);
    assert_int_equal(pail_ad_grow(UINT64_MAX / 2 + 2, UINT64_MAX / 2 + 3), UINT64_MAX);
}
