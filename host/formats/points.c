/* SPDX-License-Identifier: Apache-2.0 */
#include "points.h"

#include <string.h>

#include "bytes.h"
#include "report.h"
#include <curves/params_bls12_381.h>
#include <curves/params_bn254.h>

enum { FIELD_BYTES_MAX = 48, POINT_BYTES_MAX = 4 * FIELD_BYTES_MAX };

/* Sources of the layouts: EIP-196, EIP-197, EIP-2537; for the ZCash form draft-irtf-cfrg-pairing-
 * friendly-curves, appendix C; gnark-crypto, ecc/bn254/marshal.go; arkworks, ark-serialize,
 * flags.rs and the order of Fp2 in ark-ff. */
static const struct form {
    uint32_t form, curve;
    bool compressed, little_endian, high_first;
    uint8_t flag_mask;
    size_t padding;
} forms[] = {
    {PAIL_POINT_EIP196, PAIL_CURVE_BN254, false, false, true, 0, 0},
    {PAIL_POINT_EIP2537, PAIL_CURVE_BLS12_381, false, false, false, 0, 16},
    {PAIL_POINT_ZCASH, PAIL_CURVE_BLS12_381, true, false, true, 0xe0, 0},
    {PAIL_POINT_GNARK, PAIL_CURVE_BN254, true, false, true, 0xc0, 0},
    {PAIL_POINT_ARKWORKS, PAIL_CURVE_BN254, true, true, false, 0xc0, 0},
};

enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

static void set_modulus(struct pail_point_codec *codec)
{
    static const uint64_t bn254[] = PAIL_BN254_FP_MODULUS;
    static const uint64_t bls12_381[] = PAIL_BLS12_381_FP_MODULUS;
    const bool is_bn254 = codec->ops->curve == PAIL_CURVE_BN254;
    const uint64_t *const limbs = is_bn254 ? bn254 : bls12_381;
    codec->field_bytes = is_bn254 ? sizeof(bn254) : sizeof(bls12_381);
    for (size_t i = 0; i < codec->field_bytes; i++)
        codec->modulus[i] = (uint8_t)(limbs[i / 8] >> (8 * (i % 8)));
}

bool pail_point_codec_init(struct pail_point_codec *codec, uint32_t curve, uint32_t group,
                           uint32_t form)
{
    *codec = (struct pail_point_codec){0};
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
    size_t i = 0;
    while (i < N_FORMS && (forms[i].form != form || forms[i].curve != curve))
        i++;
    if (!ops || i == N_FORMS)
        return false;
    *codec = (struct pail_point_codec){
        .ops = ops,
        .form = form,
        .parts = group == PAIL_G2 ? 2 : 1,
        .point_bytes = 2 * ops->coordinate_bytes,
        .compressed = forms[i].compressed,
        .little_endian = forms[i].little_endian,
        .high_first = forms[i].high_first,
        .padding = forms[i].padding,
        .flag_mask = forms[i].flag_mask,
    };
    set_modulus(codec);
    codec->encoded_bytes =
        (codec->compressed ? 1 : 2) * codec->parts * (codec->padding + codec->field_bytes);
    return true;
}

/* ---- Elements of Fp. Slot s is the s-th of them in the encoded bytes. ---- */

static size_t slots(const struct pail_point_codec *codec)
{
    return (codec->compressed ? 1 : 2) * codec->parts;
}

/* Offset of the element of a slot in a canonical point. */
static size_t canonical_offset(const struct pail_point_codec *codec, size_t slot)
{
    const size_t coordinate = slot / codec->parts, within = slot % codec->parts;
    const size_t part = codec->high_first ? codec->parts - 1 - within : within;
    return (coordinate * codec->parts + part) * codec->field_bytes;
}

/* The name, "x", "y", "x.c1", ..., of an offset in a canonical point. */
static const char *element_name(const struct pail_point_codec *codec, size_t offset)
{
    static const char *const names[2][4] = {{"x", "y"}, {"x.c0", "x.c1", "y.c0", "y.c1"}};
    return names[codec->parts - 1][offset / codec->field_bytes];
}

static void copy_in_order(uint8_t *to, const uint8_t *from, size_t size, bool reversed)
{
    if (reversed)
        pail_copy_reversed(to, from, size);
    else
        memcpy(to, from, size);
}

static bool below_modulus(const struct pail_point_codec *codec, const uint8_t *element)
{
    for (size_t i = codec->field_bytes; i-- > 0;)
        if (element[i] != codec->modulus[i])
            return element[i] < codec->modulus[i];
    return false;
}

/* Writes "0x..." of a little-endian number. */
static const char *to_hex(char hex[2 * FIELD_BYTES_MAX + 3], const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *at = hex;
    *at++ = '0';
    *at++ = 'x';
    for (size_t i = size; i-- > 0;) {
        *at++ = digits[bytes[i] >> 4];
        *at++ = digits[bytes[i] & 15];
    }
    *at = '\0';
    return hex;
}

/* Checks that the first n elements of a canonical point are below p. */
static pail_status check_elements(const struct pail_point_codec *codec, const uint8_t *point,
                                  size_t n, char *error, size_t error_cap)
{
    for (size_t i = 0; i < n; i++) {
        const size_t offset = i * codec->field_bytes;
        char hex[2 * FIELD_BYTES_MAX + 3];
        if (!below_modulus(codec, point + offset))
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s is %s, not below the modulus of the base field",
                               element_name(codec, offset),
                               to_hex(hex, point + offset, codec->field_bytes));
    }
    return PAIL_OK;
}

/* ---- Decoding ---- */

/* The meaning of a compressed point's flags. */
struct flags {
    bool infinity, largest;
    const char *fault; /* NULL: legal */
};

static struct flags read_flags(const struct pail_point_codec *codec, uint8_t bits)
{
    struct flags flags = {0};
    switch (codec->form) {
    case PAIL_POINT_ZCASH:
        flags.infinity = (bits & 0x40) != 0;
        flags.largest = (bits & 0x20) != 0;
        if ((bits & 0x80) == 0)
            flags.fault = "the compression flag is not set";
        else if (flags.infinity && flags.largest)
            flags.fault = "the sign flag is set along with the infinity flag";
        break;
    case PAIL_POINT_GNARK:
        flags.infinity = bits == 0x40;
        flags.largest = bits == 0xc0;
        if (bits == 0)
            flags.fault = "the flags are those of an uncompressed point";
        break;
    default: /* PAIL_POINT_ARKWORKS */
        flags.infinity = (bits & 0x40) != 0;
        flags.largest = (bits & 0x80) != 0;
        if (flags.infinity && flags.largest)
            flags.fault = "the sign flag is set along with the infinity flag";
        break;
    }
    return flags;
}

/* Offset of the byte of the encoded point that holds the flags. */
static size_t flag_offset(const struct pail_point_codec *codec)
{
    return codec->little_endian ? codec->encoded_bytes - 1 : 0;
}

/* Decodes without the check of the subgroup, and of an uncompressed point without that of the
 * curve. */
static pail_status decode_uncompressed(const struct pail_point_codec *codec, uint8_t *point,
                                       const uint8_t *encoded, char *error, size_t error_cap)
{
    const size_t slot_bytes = codec->padding + codec->field_bytes;
    for (size_t slot = 0; slot < slots(codec); slot++) {
        const uint8_t *const at = encoded + slot * slot_bytes;
        const size_t offset = canonical_offset(codec, slot);
        if (!pail_all_zero(at, codec->padding))
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "the top %zu bytes of %s are not zero", codec->padding,
                               element_name(codec, offset));
        pail_copy_reversed(point + offset, at + codec->padding, codec->field_bytes);
    }
    return check_elements(codec, point, 2 * codec->parts, error, error_cap);
}

pail_status pail_point_read_x(const struct pail_point_codec *codec, struct pail_point_x *x,
                              const uint8_t *encoded, char *error, size_t error_cap)
{
    uint8_t bytes[POINT_BYTES_MAX / 2];
    memset(x, 0, sizeof(*x));
    memcpy(bytes, encoded, codec->encoded_bytes);
    uint8_t *const flag_byte = bytes + flag_offset(codec);
    const uint8_t bits = *flag_byte & codec->flag_mask;
    const struct flags flags = read_flags(codec, bits);
    if (flags.fault)
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s (flag bits 0x%02x)", flags.fault,
                           bits);
    *flag_byte = (uint8_t)(*flag_byte & ~codec->flag_mask);
    x->infinity = flags.infinity;
    x->largest = flags.largest;
    if (flags.infinity) {
        if (pail_all_zero(bytes, codec->encoded_bytes))
            return PAIL_OK;
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "the infinity flag is set, but not every other bit is zero");
    }
    for (size_t slot = 0; slot < slots(codec); slot++)
        copy_in_order(x->x + canonical_offset(codec, slot), bytes + slot * codec->field_bytes,
                      codec->field_bytes, !codec->little_endian);
    return check_elements(codec, x->x, codec->parts, error, error_cap);
}

static pail_status decode_compressed(const struct pail_point_codec *codec, uint8_t *point,
                                     const uint8_t *encoded, char *error, size_t error_cap)
{
    struct pail_point_x x;
    const pail_status status = pail_point_read_x(codec, &x, encoded, error, error_cap);
    if (status != PAIL_OK || x.infinity)
        return status;
    pail_affine affine;
    if (!codec->ops->lift_x(&affine, x.x, x.largest))
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "no point on the curve has this x and sign");
    codec->ops->encode(point, &affine, false);
    return PAIL_OK;
}

static pail_status validate(const struct pail_point_codec *codec, const uint8_t *point,
                            uint32_t validation, char *error, size_t error_cap)
{
    pail_affine affine;
    if (validation == PAIL_VALIDATE_NONE)
        return PAIL_OK;
    (void)codec->ops->decode(&affine, point, false); /* the coordinates are below p */
    if (!codec->ops->on_curve(&affine))
        return pail_report(error, error_cap, PAIL_ERR_DATA, "it is not on the curve");
    if (validation == PAIL_VALIDATE_SUBGROUP && !codec->ops->in_subgroup(&affine))
        return pail_report(error, error_cap, PAIL_ERR_DATA, "it is not in the subgroup of order r");
    return PAIL_OK;
}

pail_status pail_point_decode(const struct pail_point_codec *codec, uint8_t *point,
                              const uint8_t *encoded, uint32_t validation, char *error,
                              size_t error_cap)
{
    memset(point, 0, codec->point_bytes);
    pail_status status = codec->compressed
                             ? decode_compressed(codec, point, encoded, error, error_cap)
                             : decode_uncompressed(codec, point, encoded, error, error_cap);
    if (status == PAIL_OK)
        status = validate(codec, point, validation, error, error_cap);
    if (status != PAIL_OK)
        memset(point, 0, codec->point_bytes);
    return status;
}

/* ---- Encoding ---- */

static uint8_t make_flags(const struct pail_point_codec *codec, bool infinity, bool largest)
{
    switch (codec->form) {
    case PAIL_POINT_ZCASH:
        return infinity ? 0xc0 : largest ? 0xa0 : 0x80;
    case PAIL_POINT_GNARK:
        return infinity ? 0x40 : largest ? 0xc0 : 0x80;
    default: /* PAIL_POINT_ARKWORKS */
        return infinity ? 0x40 : largest ? 0x80 : 0;
    }
}

pail_status pail_point_encode(const struct pail_point_codec *codec, uint8_t *encoded,
                              const uint8_t *point, char *error, size_t error_cap)
{
    memset(encoded, 0, codec->encoded_bytes);
    const pail_status status = check_elements(codec, point, 2 * codec->parts, error, error_cap);
    if (status != PAIL_OK)
        return status;
    pail_affine affine;
    bool largest = false;
    if (codec->compressed) {
        (void)codec->ops->decode(&affine, point, false);
        if (!codec->ops->on_curve(&affine))
            return pail_report(error, error_cap, PAIL_ERR_DATA, "it is not on the curve");
        largest = codec->ops->y_is_largest(&affine);
    }
    const size_t slot_bytes = codec->padding + codec->field_bytes;
    for (size_t slot = 0; slot < slots(codec); slot++)
        copy_in_order(encoded + slot * slot_bytes + codec->padding,
                      point + canonical_offset(codec, slot), codec->field_bytes,
                      !codec->little_endian);
    if (codec->compressed)
        encoded[flag_offset(codec)] |=
            make_flags(codec, pail_all_zero(point, codec->point_bytes), largest);
    return PAIL_OK;
}
