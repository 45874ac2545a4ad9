pragma circom 2.1.0;

// Round constant `i`: a walk of x^7 over the field from a fixed start, so that nothing has to be imported.
function round_constant(i) {
    var c = 0x5061696c;
    for (var k = 0; k < i; k++) {
        var c2 = c * c;
        c = c2 * c2 * c2 * c + k + 1;
    }
    return c;
}

// MiMC block cipher with exponent 7 (Albrecht, Grassi, Rechberger, Roy, Tiessen 2016): 91 rounds reach 254 bits.
template Mimc7(ROUNDS) {
    signal input x;
    signal input key;
    signal output out;

    signal t2[ROUNDS];
    signal t4[ROUNDS];
    signal t6[ROUNDS];
    signal t7[ROUNDS];
    var state = x;
    for (var i = 0; i < ROUNDS; i++) {
        var t = state + key + round_constant(i);
        t2[i] <== t * t;
        t4[i] <== t2[i] * t2[i];
        t6[i] <== t4[i] * t2[i];
        t7[i] <== t6[i] * t;
        state = t7[i];
    }
    out <== state + key;
}

// A hash of two values: Miyaguchi-Preneel, E_k(x) + k + x.
template Hash2(ROUNDS) {
    signal input x;
    signal input key;
    signal output out;

    component cipher = Mimc7(ROUNDS);
    cipher.x <== x;
    cipher.key <== key;
    out <== cipher.out + key + x;
}
