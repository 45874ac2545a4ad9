#include "exit.h"

enum pail_exit pail_exit_of(pail_status status)
{
    switch (PAIL_STATUS_KIND(status)) {
    case PAIL_KIND_OK:
        return PAIL_EXIT_OK;
    case PAIL_KIND_CALLER:
        return PAIL_EXIT_USAGE;
    case PAIL_KIND_DATA:
        return PAIL_EXIT_DATA;
    case PAIL_KIND_UNSUPPORTED:
        return PAIL_EXIT_UNSUPPORTED;
    case PAIL_KIND_WORLD:
    case PAIL_KIND_FORCE_32:
        break;
    }
    return PAIL_EXIT_WORLD;
}
