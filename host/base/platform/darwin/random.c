#include "platform/random.h"

#include <sys/random.h>

#include "platform/wipe.h"

enum { PORTION = 256 }; /* more, getentropy refuses */

bool pail_random(void *memory, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const size_t n = bytes - done < PORTION ? bytes - done : PORTION;
        if (getentropy((char *)memory + done, n) != 0) {
            pail_wipe(memory, bytes);
            return false;
        }
        done += n;
    }
    return true;
}
