/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of sending: the time from the call until the bytes are on the device, and until the call
 * returns, for sizes from 256 KiB on, beside a copy within the host's memory and the time of a
 * submission without work. Each is the median of 9.
 *
 * usage: bench_upload [LOG2_BYTES_MAX]
 *
 * Scalars of n points are 32 n bytes. Whether sending is hidden shows in
 * pail ab --n 2^20 --var scalars=device --var scalars=host */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <vk/cmd.h>
#include <vk/staging.h>

enum { ROUNDS = 9 };

static struct pail_error error;

static void check(pail_status status)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s\n", error.text);
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[ROUNDS])
{
    qsort(values, ROUNDS, sizeof(*values), ascending);
    return values[ROUNDS / 2];
}

static void submission(struct pail_vk_device *dev)
{
    double ms[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        struct pail_vk_cmd *cmd;
        pail_vk_ticket ticket;
        const double begin = pail_now_ms();
        check(pail_vk_cmd_begin(dev, PAIL_VK_QUEUE_MAIN, "empty", &cmd, &error));
        check(pail_vk_cmd_submit(cmd, &ticket, &error));
        check(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, &error));
        ms[i] = pail_now_ms() - begin;
        pail_vk_cmd_release(&cmd);
    }
    (void)printf("a submission without work, waited for: %.3f ms\n", median(ms));
}

static void sending(struct pail_vk_device *dev, const unsigned char *from, unsigned char *to,
                    uint64_t bytes)
{
    struct pail_vk_buffer buffer;
    double called[ROUNDS], there[ROUNDS], copied[ROUNDS];
    check(pail_vk_buffer_create(dev, &buffer, PAIL_VK_MEMORY_DEVICE, bytes, "target", &error));
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, bytes);
    for (int i = 0; i < ROUNDS; i++) {
        pail_vk_ticket ticket;
        const double begin = pail_now_ms();
        check(pail_vk_upload(dev, &slice, 0, from, bytes, &ticket, &error));
        called[i] = pail_now_ms() - begin;
        check(pail_vk_wait(dev, ticket, PAIL_VK_FOREVER, &error));
        there[i] = pail_now_ms() - begin;
        const double copy = pail_now_ms();
        memcpy(to, from, (size_t)bytes);
        copied[i] = pail_now_ms() - copy;
    }
    unsigned char last = 0;
    check(pail_vk_download(dev, &slice, bytes - 1, &last, 1, PAIL_VK_FOREVER, &error));
    if (last != from[bytes - 1] || to[bytes - 1] != last) {
        (void)fprintf(stderr, "%llu bytes did not arrive\n", (unsigned long long)bytes);
        exit(1);
    }
    const double gb = (double)bytes / 1e6;
    const double a = median(called), b = median(there), c = median(copied);
    (void)printf("%10.2f MiB %9.3f %9.3f ms %8.1f GB/s %12.1f GB/s\n", (double)bytes / 1048576, a,
                 b, gb / b, gb / c);
    pail_vk_buffer_destroy(dev, &buffer);
}

int main(int argc, char **argv)
{
    const unsigned most = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 29;
    const struct pail_vk_env env = {.debug = "nocache"};
    struct pail_vk_instance *instance;
    struct pail_vk_device *dev;
    if (most < 18 || most > 31) {
        (void)fprintf(stderr, "usage: bench_upload [LOG2_BYTES_MAX], 18 to 31\n");
        return 2;
    }
    check(pail_vk_instance_create(&instance, &env, &error));
    check(pail_vk_device_create(&dev, instance, 0, NULL, &error));
    unsigned char *from = malloc((size_t)1 << most), *to = malloc((size_t)1 << most);
    if (!from || !to) {
        (void)fprintf(stderr, "no memory for 2^%u bytes\n", most);
        return 1;
    }
    memset(from, 0x5a, (size_t)1 << most);
    memset(to, 0, (size_t)1 << most);
    const struct pail_vk_caps *caps = pail_vk_device_caps(dev);
    (void)printf("%s, %s queue for copies\n", caps->name, caps->transfer_queue ? "a" : "no");
    submission(dev);
    (void)printf("%14s %9s %12s %13s %17s\n", "sent", "returned", "there", "", "one thread's copy");
    for (unsigned log2 = 18; log2 <= most; log2++)
        sending(dev, from, to, (uint64_t)1 << log2);
    free(from);
    free(to);
    pail_vk_device_destroy(&dev);
    pail_vk_instance_destroy(&instance);
    return 0;
}
