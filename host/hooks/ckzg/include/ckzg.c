/* Bindings that include c-kzg's sources include this instead, and are linked with libckzg.so. */
#include "ckzg.h"
