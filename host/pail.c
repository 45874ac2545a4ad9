#include <pail/pail.h>

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
