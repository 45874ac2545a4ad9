/* SPDX-License-Identifier: Apache-2.0 */
/* Bindings that include c-kzg's sources include this instead, and are linked with libckzg.so. */
#include "ckzg.h"
