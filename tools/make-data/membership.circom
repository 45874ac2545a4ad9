pragma circom 2.1.0;

include "mimc7.circom";

// Membership: "I know the secret of a leaf of the tree with this root." Which leaf stays private. The nullifier is the same
// for each proof by that member in one scope (an election, a day), so that nobody counts twice.
template Membership(DEPTH, ROUNDS) {
    signal input secret;
    signal input sibling[DEPTH]; // from the leaf to the root
    signal input is_right[DEPTH]; // 1: the node is the right child of its parent
    signal input scope;
    signal output root;
    signal output nullifier;

    component leaf = Hash2(ROUNDS);
    leaf.x <== secret;
    leaf.key <== 0;
    component mark = Hash2(ROUNDS);
    mark.x <== secret;
    mark.key <== scope;
    nullifier <== mark.out;

    component parent[DEPTH];
    signal node[DEPTH + 1];
    signal moved[DEPTH];
    node[0] <== leaf.out;
    for (var i = 0; i < DEPTH; i++) {
        is_right[i] * (1 - is_right[i]) === 0;
        moved[i] <== is_right[i] * (sibling[i] - node[i]);
        parent[i] = Hash2(ROUNDS);
        parent[i].x <== node[i] + moved[i];
        parent[i].key <== sibling[i] - moved[i];
        node[i + 1] <== parent[i].out;
    }
    root <== node[DEPTH];
}

component main {public [scope]} = Membership(9, 91); // one of 512
