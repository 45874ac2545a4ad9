#include "platform/random.h"

#include <errno.h>
#include <sys/random.h>

#include "platform/wipe.h"

bool pail_random(void *memory, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t got = getrandom((char *)memory + done, bytes - done, 0);
        if (got > 0) {
            done += (size_t)got;
        } else if (errno != EINTR) {
            pail_wipe(memory, bytes);
            return false;
        }
    }
    return true;
}
