pragma circom 2.1.0;

include "circomlib/circuits/eddsaposeidon.circom";

// SIGNATURES signatures of EdDSA over Baby Jubjub with Poseidon. Keys and messages are public, signatures are private.
//
// Bits of scalars and full-width coordinates: half and half.
template EddsaBatch(SIGNATURES) {
    signal input key[SIGNATURES][2];
    signal input message[SIGNATURES];
    signal input nonce[SIGNATURES][2]; // the point R8
    signal input response[SIGNATURES]; // the scalar S

    component verifier[SIGNATURES];
    for (var i = 0; i < SIGNATURES; i++) {
        verifier[i] = EdDSAPoseidonVerifier();
        verifier[i].enabled <== 1;
        verifier[i].Ax <== key[i][0];
        verifier[i].Ay <== key[i][1];
        verifier[i].S <== response[i];
        verifier[i].R8x <== nonce[i][0];
        verifier[i].R8y <== nonce[i][1];
        verifier[i].M <== message[i];
    }
}
