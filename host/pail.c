#include <pail/pail.h>

#include <string.h>

#include <curves/curve_ops.h>
#include <prover/key/domain.h>

const char *pail_version(void)
{
    return PAIL_VERSION;
}

const char *pail_status_name(pail_status status)
{
    switch (status) {
    case PAIL_OK:
        return "PAIL_OK";
    case PAIL_NOT_READY:
        return "PAIL_NOT_READY";
    case PAIL_ERR_ARGUMENT:
        return "PAIL_ERR_ARGUMENT";
    case PAIL_ERR_ABI:
        return "PAIL_ERR_ABI";
    case PAIL_ERR_DATA:
        return "PAIL_ERR_DATA";
    case PAIL_ERR_UNSUPPORTED:
        return "PAIL_ERR_UNSUPPORTED";
    case PAIL_ERR_HOST_MEMORY:
        return "PAIL_ERR_HOST_MEMORY";
    case PAIL_ERR_DEVICE_MEMORY:
        return "PAIL_ERR_DEVICE_MEMORY";
    case PAIL_ERR_DEVICE_LOST:
        return "PAIL_ERR_DEVICE_LOST";
    case PAIL_ERR_IO:
        return "PAIL_ERR_IO";
    case PAIL_ERR_INTERNAL:
        return "PAIL_ERR_INTERNAL";
    case PAIL_ERR_STOPPED:
        return "PAIL_ERR_STOPPED";
    case PAIL_STATUS_FORCE_32:
        break;
    }
    return "unknown status";
}

pail_status pail_root_of_unity(uint8_t root[PAIL_SCALAR_BYTES], uint32_t curve, uint32_t log_n)
{
    if (!root)
        return PAIL_ERR_ARGUMENT;
    const struct pail_curve_ops *ops = pail_curve_ops(curve, PAIL_G1);
    struct pail_domain domain;
    if (!ops || !pail_domain_init(&domain, ops, log_n)) {
        memset(root, 0, PAIL_SCALAR_BYTES);
        return PAIL_ERR_ARGUMENT;
    }
    memcpy(root, domain.root, PAIL_SCALAR_BYTES);
    return PAIL_OK;
}
