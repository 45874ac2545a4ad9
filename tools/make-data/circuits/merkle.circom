pragma circom 2.1.0;

include "circomlib/circuits/bitify.circom";
include "circomlib/circuits/poseidon.circom";
include "circomlib/circuits/switcher.circom";

// The leaves at PATHS places of a Merkle tree of Poseidon hashes over two nodes, DEPTH levels above the leaves. The root is
// public, and leaves, places and the nodes beside the paths are private.
//
// Its witness is mostly full-width: hash rounds make nearly all of it.
template MerklePath(DEPTH) {
    signal input root;
    signal input leaf;
    signal input place;
    signal input beside[DEPTH];

    component bits = Num2Bits(DEPTH);
    bits.in <== place;
    component pair[DEPTH];
    component hash[DEPTH];
    for (var i = 0; i < DEPTH; i++) {
        pair[i] = Switcher();
        pair[i].sel <== bits.out[i];
        pair[i].L <== i == 0 ? leaf : hash[i - 1].out;
        pair[i].R <== beside[i];
        hash[i] = Poseidon(2);
        hash[i].inputs[0] <== pair[i].outL;
        hash[i].inputs[1] <== pair[i].outR;
    }
    hash[DEPTH - 1].out === root;
}

template MerkleBatch(DEPTH, PATHS) {
    signal input root;
    signal input leaf[PATHS];
    signal input place[PATHS];
    signal input beside[PATHS][DEPTH];

    component path[PATHS];
    for (var i = 0; i < PATHS; i++) {
        path[i] = MerklePath(DEPTH);
        path[i].root <== root;
        path[i].leaf <== leaf[i];
        path[i].place <== place[i];
        path[i].beside <== beside[i];
    }
}
