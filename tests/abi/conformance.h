/* Rules that every backend keeps, whatever computes behind it. Each function is a test; the state
 * is a backend that was opened, see conformance.c. */
#ifndef PAIL_TESTS_CONFORMANCE_H
#define PAIL_TESTS_CONFORMANCE_H

#include "backends.h"

struct subject {
    struct counting_host counting;
    struct opened opened; /* no `open`: a table that is not opened */
    const pail_backend *backend;
    const pail_host *host; /* its functions take this one */
    void *own;             /* belongs to whoever opened it */
    pail_context *context; /* for the tests that need one */
};

/* The last sentence speaks of the value that was wrong. */
void expect_sentence(const struct subject *subject, const char *word);

/* All bytes behind the struct_size are zero. */
void expect_zeroed(const void *object, size_t bytes);

/* Multiples of the generator of BN254 G1, affine, canonical. */
extern const uint8_t g1_generator[64], g1_times_2[64], g1_times_3[64];

/* [n] points: generator, infinity, and again. */
pail_bases *make_bases(const struct subject *subject, size_t n);

/* conformance_backends.c, conformance_devices.c: what the tests run on, a file for each program.
 */
struct conformance_row {
    const char *name;
    bool plugin; /* it is needed, at backends_plugin_path() */
};

extern const struct conformance_row conformance_rows[];
extern const size_t conformance_n_rows;

/* Opens subject->backend; subject->counting is ready. */
void conformance_open(struct subject *subject, const struct conformance_row *row);
void conformance_close(struct subject *subject);
/* A test of this program's own. */
void conformance_slots(void **state);

/* conformance_arguments.c: what is refused */
void negotiation_is_strict(void **state);
void device_calls_check_arguments(void **state);
void contexts_check_arguments(void **state);
void bases_check_arguments(void **state);
void bases_check_points(void **state);
void jobs_are_checked(void **state);
void configs_are_checked(void **state);
void finish_checks_arguments(void **state);
void estimates_check_arguments(void **state);
void null_handles_are_harmless(void **state);

/* conformance_outputs.c: no output is written beyond what a call that succeeds writes */
void outputs_are_only_those(void **state);
void memory_is_only_that(void **state);
void stacks_are_only_those(void **state);

/* conformance_adstack.c: both, of the adstack, where a backend has it */
void stacks_check_arguments(void **state);
void stacks_check_launches(void **state);
void stacks_are_sized(void **state);
void stacks_travel(void **state);
void callbacks_may_size_stacks(void **state);

/* conformance_vectors.c: both, of vectors, where a backend has them */
void vectors_check_arguments(void **state);
void vectors_are_computed_with(void **state);
void vectors_fill(void **state);
void multiplications_read_vectors(void **state);
void multiplications_of_infinities_end(void **state);

/* conformance_sentences.c: the words in which arguments are refused */
void vectors_are_refused_in_the_same_words(void **state);
void multiplications_are_refused_in_the_same_words(void **state);

/* conformance_work.c: what is done */
void devices_describe_themselves(void **state);
void results_are_right(void **state);
void a_host_of_a_later_minor(void **state);
void least_sizes_are_enough(void **state);
void inputs_are_copied(void **state);
void waiting_and_polling(void **state);
void work_can_be_abandoned(void **state);
void stats_are_filled(void **state);
void threads_share_a_context(void **state);
void failing_allocations_are_survived(void **state);

#endif
