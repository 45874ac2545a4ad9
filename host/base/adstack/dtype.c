#include "eval.h"

uint32_t pail_ad_dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
    case PAIL_DTYPE_I8:
    case PAIL_DTYPE_U8:
        return 1;
    case PAIL_DTYPE_I16:
    case PAIL_DTYPE_U16:
        return 2;
    case PAIL_DTYPE_I32:
    case PAIL_DTYPE_U32:
        return 4;
    case PAIL_DTYPE_I64:
    case PAIL_DTYPE_U64:
        return 8;
    default:
        return 0;
    }
}
