pragma circom 2.1.0;

include "circomlib/circuits/bitify.circom";
include "circomlib/circuits/sha256/sha256.circom";

// A private message of BYTES bytes whose SHA-256 is public, in two halves of 128 bits. A message of 64 BLOCKS - 9 bytes fills
// BLOCKS blocks, padding included.
//
// Its witness is mostly bits, the other extreme of what provers see.
template Sha256Message(BYTES) {
    signal input message[BYTES];
    signal output high;
    signal output low;

    component bits[BYTES];
    component hash = Sha256(8 * BYTES);
    for (var i = 0; i < BYTES; i++) {
        bits[i] = Num2Bits(8);
        bits[i].in <== message[i];
        for (var k = 0; k < 8; k++) hash.in[8 * i + k] <== bits[i].out[7 - k];
    }
    component half[2];
    for (var h = 0; h < 2; h++) {
        half[h] = Bits2Num(128);
        for (var k = 0; k < 128; k++) half[h].in[k] <== hash.out[128 * h + 127 - k];
    }
    high <== half[0].out;
    low <== half[1].out;
}
