/* SPDX-License-Identifier: Apache-2.0 */

#include "build.h"
#include "support/test.h"
#include <formats/r1cs.h>

enum { WIRES = 4, PUBLIC = 1, CONSTRAINTS = 2, PRIME_BYTES = 36 };

static void term(struct buffer *to, uint32_t wire, uint64_t value)
{
    buffer_u32(to, wire);
    buffer_u64(to, value);
    buffer_zeros(to, 24);
}

/* (w1 + 2 w2) w3 = w1; 0 0 = 5 w0. The header is that of make_witness, with other counts. */
static struct pieces make_circuit(void)
{
    struct pieces pieces = {.count = 2};
    struct pieces witness = make_witness();
    struct buffer *const header = &pieces.piece[1].payload;
    struct buffer *const constraints = &pieces.piece[0].payload;
    pieces.piece[1].type = 1;
    buffer_append(header, witness.piece[0].payload.data, PRIME_BYTES);
    pieces_free(&witness);
    buffer_u32(header, WIRES);
    buffer_u32(header, PUBLIC); /* outputs */
    buffer_u32(header, 1);      /* public inputs */
    buffer_u32(header, 1);
    buffer_u64(header, WIRES);
    buffer_u32(header, CONSTRAINTS);
    pieces.piece[0].type = 2;
    buffer_u32(constraints, 2);
    term(constraints, 1, 1);
    term(constraints, 2, 2);
    buffer_u32(constraints, 1);
    term(constraints, 3, 1);
    buffer_u32(constraints, 1);
    term(constraints, 1, 1);
    buffer_u32(constraints, 0);
    buffer_u32(constraints, 0);
    buffer_u32(constraints, 1);
    term(constraints, 0, 5);
    return pieces;
}

/* Reads all of it; the sentence must have the words. */
static void expect(struct pieces *pieces, pail_status wanted, const char *words)
{
    struct buffer file = write_container(pieces, "r1cs", 1);
    struct pail_r1cs circuit;
    struct pail_r1cs_cursor at = {0};
    struct pail_r1cs_term found;
    char error[512] = "";
    pail_status status =
        pail_r1cs_parse(&circuit, "c.r1cs", file.data, file.size, error, sizeof(error));
    while (status == PAIL_OK)
        status = pail_r1cs_next(&found, &at, &circuit, error, sizeof(error));
    assert_int_equal(status, wanted);
    if (strstr(error, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error, words);
    pail_r1cs_close(&circuit);
    buffer_free(&file);
    pieces_free(pieces);
}

PAIL_TEST(reads_a_circuit)
{
    static const struct {
        uint32_t constraint, combination, wire, value;
    } wanted[] = {{0, 0, 1, 1}, {0, 0, 2, 2}, {0, 1, 3, 1}, {0, 2, 1, 1}, {1, 2, 0, 5}};
    struct pieces pieces = make_circuit();
    struct buffer file = write_container(&pieces, "r1cs", 1);
    struct pail_r1cs circuit;
    struct pail_r1cs_cursor at = {0};
    struct pail_r1cs_term found;
    assert_int_equal(pail_r1cs_parse(&circuit, "c", file.data, file.size, NULL, 0), PAIL_OK);
    assert_int_equal(circuit.curve, PAIL_CURVE_BN254);
    assert_int_equal(circuit.n_wires, WIRES);
    assert_int_equal(circuit.n_public, PUBLIC + 1);
    assert_int_equal(circuit.n_constraints, CONSTRAINTS);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        assert_int_equal(pail_r1cs_next(&found, &at, &circuit, NULL, 0), PAIL_OK);
        assert_int_equal(found.constraint, wanted[i].constraint);
        assert_int_equal(found.combination, wanted[i].combination);
        assert_int_equal(found.wire, wanted[i].wire);
        assert_int_equal(found.value[0], wanted[i].value);
    }
    assert_int_equal(pail_r1cs_next(&found, &at, &circuit, NULL, 0), PAIL_NOT_READY);
    pail_r1cs_close(&circuit);
    buffer_free(&file);
    pieces_free(&pieces);
}

/* Prefixes of all sections and of the constraints: nothing is read past the end. */
PAIL_TEST(refuses_every_prefix)
{
    struct pieces whole = make_circuit();
    const size_t size = whole.piece[0].payload.size;
    pieces_free(&whole);
    for (size_t left = 0; left < size; left++) {
        struct pieces pieces = make_circuit();
        pieces.piece[0].payload.size = left;
        expect(&pieces, PAIL_ERR_DATA, "c.r1cs: section 2 (constraints) ends after");
    }
    for (size_t left = 0; left < PRIME_BYTES + 28; left++) {
        struct pieces pieces = make_circuit();
        pieces.piece[1].payload.size = left;
        expect(&pieces, PAIL_ERR_DATA, "c.r1cs: ");
    }
}

PAIL_TEST(refuses_bad_numbers)
{
    struct pieces pieces = make_circuit();
    pieces.piece[0].payload.data[4] = WIRES;
    expect(&pieces, PAIL_ERR_DATA, "constraint 0, at byte 28, names wire 4, but there are 4");
    pieces = make_circuit();
    memset(pieces.piece[0].payload.data + 8, 0xff, 32);
    expect(&pieces, PAIL_ERR_DATA, "constraint 0, at byte 32, has a value that is not below");
    pieces = make_circuit();
    buffer_zeros(&pieces.piece[0].payload, 1);
    expect(&pieces, PAIL_ERR_DATA, "constraints take");
    pieces = make_circuit();
    pieces.piece[1].payload.data[PRIME_BYTES + 7] = 0xff;
    expect(&pieces, PAIL_ERR_DATA, "names 4 wires, too few for 4278190082 public");
    pieces = make_circuit();
    memset(pieces.piece[0].payload.data, 0xff, 4);
    expect(&pieces, PAIL_ERR_DATA, "inside constraint 0 of 2");
}

PAIL_TEST(refuses_custom_gates)
{
    for (uint32_t type = 4; type <= 5; type++) {
        for (uint32_t gates = 0; gates < 2; gates++) {
            struct pieces pieces = make_circuit();
            pieces.piece[pieces.count] = (struct piece){.type = type};
            buffer_u32(&pieces.piece[pieces.count++].payload, gates);
            expect(&pieces, gates == 0 ? PAIL_NOT_READY : PAIL_ERR_UNSUPPORTED,
                   gates == 0 ? "" : "has custom gates");
        }
    }
}
