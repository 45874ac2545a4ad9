/* The adders in portable C. */
#include "adders.h"
#include <curves/bls12_381.h>
#include <curves/bn254.h>

#define EC       pail_bn254_g1
#define FE       pail_bn254_fp
#define EC_ADDER pail_cpu_portable_bn254_g1
#define EC_CURVE PAIL_BN254_CURVE
#define EC_GROUP 1
#include "portable_template.h"

#define EC       pail_bn254_g2
#define FE       pail_bn254_fp2
#define EC_ADDER pail_cpu_portable_bn254_g2
#define EC_CURVE PAIL_BN254_CURVE
#define EC_GROUP 2
#include "portable_template.h"

#define EC       pail_bls12_381_g1
#define FE       pail_bls12_381_fp
#define EC_ADDER pail_cpu_portable_bls12_381_g1
#define EC_CURVE PAIL_BLS12_381_CURVE
#define EC_GROUP 1
#include "portable_template.h"

#define EC       pail_bls12_381_g2
#define FE       pail_bls12_381_fp2
#define EC_ADDER pail_cpu_portable_bls12_381_g2
#define EC_CURVE PAIL_BLS12_381_CURVE
#define EC_GROUP 2
#include "portable_template.h"
