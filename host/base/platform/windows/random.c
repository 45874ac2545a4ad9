#include "platform/random.h"

#include <windows.h>

#include <bcrypt.h>

#include "platform/wipe.h"

enum { PORTION = 1 << 20 }; /* the system takes 32 bits of a length */

bool pail_random(void *memory, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ULONG n = bytes - done < PORTION ? (ULONG)(bytes - done) : PORTION;
        if (BCryptGenRandom(NULL, (PUCHAR)memory + done, n, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0) {
            pail_wipe(memory, bytes);
            return false;
        }
        done += n;
    }
    return true;
}
