pragma circom 2.1.0;

include "mimc7.circom";

// A ledger: `PAGES * PER_PAGE` amounts of `BITS` bits stay private; their digest, their total and the total of their Gray
// codes are public.
//
// What it gives a test of multi-scalar multiplication is the mixture that real provers see. Bits and the gates between
// them make many witness values 0 or 1, hash rounds make the rest full-width. A signal that stands on one side of
// products only has its base at infinity in A or in B, and one that is only ever added up, in both.

// 0 <= in < 2^BITS, and the Gray code in ^ (in >> 1), gate by gate: b ^ c = b + c - 2 b c.
template Range(BITS) {
    signal input in;
    signal output gray;

    signal bit[BITS];
    signal both[BITS - 1];
    var sum = 0;
    for (var i = 0; i < BITS; i++) {
        bit[i] <-- (in >> i) & 1;
        bit[i] * (1 - bit[i]) === 0;
        sum += bit[i] * (1 << i);
    }
    sum === in;

    var code = bit[BITS - 1] * (1 << (BITS - 1));
    for (var i = 0; i < BITS - 1; i++) {
        both[i] <== bit[i] * bit[i + 1];
        code += (bit[i] + bit[i + 1] - 2 * both[i]) * (1 << i);
    }
    gray <== code;
}

template Ledger(PAGES, PER_PAGE, BITS, ROUNDS) {
    signal input amount[PAGES * PER_PAGE];
    signal input blinding;
    signal output digest;
    signal output total;
    signal output gray_total;

    component range[PAGES * PER_PAGE];
    component hash[PAGES];
    signal chain[PAGES + 1];
    chain[0] <== blinding;
    var sum = 0;
    var gray_sum = 0;
    for (var p = 0; p < PAGES; p++) {
        // A page travels as one field element: PER_PAGE * BITS < 253.
        var packed = 0;
        for (var k = 0; k < PER_PAGE; k++) {
            var i = p * PER_PAGE + k;
            range[i] = Range(BITS);
            range[i].in <== amount[i];
            packed += amount[i] * (1 << (k * BITS));
            sum += amount[i];
            gray_sum += range[i].gray;
        }
        // Miyaguchi-Preneel: E_k(x) + k + x
        hash[p] = Mimc7(ROUNDS);
        hash[p].x <== packed;
        hash[p].key <== chain[p];
        chain[p + 1] <== hash[p].out + chain[p] + packed;
    }
    digest <== chain[PAGES];
    total <== sum;
    gray_total <== gray_sum;
}

component main = Ledger(8, 5, 48, 91);
