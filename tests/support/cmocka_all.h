/* For files that are not yet converted. */
#include "test.h"
