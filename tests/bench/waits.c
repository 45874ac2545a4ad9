/* SPDX-License-Identifier: Apache-2.0 */
/* Time of one submission of next to nothing and of waiting for it, on a device with timelines and
 * on one with fences, in turns.
 *
 *     bench_waits [ROUNDS]
 *
 * Every submission writes a number, which is read back before a time is printed. */
#include <stdio.h>
#include <stdlib.h>

#include <platform/clock.h>

#include <vk/cmd.h>
#include <vk/device_priv.h>

enum { EACH = 200, BYTES = 64, MOST = 1001 };

static struct pail_error error;

static void check(pail_status status)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s\n", error.text);
    exit(1);
}

struct side {
    const char *name;
    struct pail_vk_limits_override limits;
    struct pail_vk_device *dev;
    struct pail_vk_buffer buffer;
    struct pail_vk_slice words;
    double us[MOST];
};

static void side_open(struct side *s, struct pail_vk_instance *instance)
{
    const struct pail_vk_device_params params = {.limits = &s->limits};
    check(pail_vk_device_create(&s->dev, instance, 0, &params, &error));
    check(
        pail_vk_buffer_create(s->dev, &s->buffer, PAIL_VK_MEMORY_READBACK, BYTES, "words", &error));
    s->words = pail_vk_buffer_slice(&s->buffer, 0, BYTES);
}

/* Microseconds of one submission. */
static double side_run(struct side *s)
{
    const double since = pail_now_ms();
    for (uint32_t i = 1; i <= EACH; i++) {
        struct pail_vk_cmd *cmd;
        pail_vk_ticket ticket;
        check(pail_vk_cmd_begin(s->dev, PAIL_VK_QUEUE_MAIN, "nothing", &cmd, &error));
        pail_vk_cmd_fill(cmd, &s->words, 0, BYTES, i);
        pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_HOST);
        check(pail_vk_cmd_submit(cmd, &ticket, &error));
        check(pail_vk_wait(s->dev, ticket, PAIL_VK_FOREVER, &error));
        check(pail_vk_invalidate(s->dev, &s->words, &error));
        pail_vk_cmd_release(&cmd);
        if (*(const uint32_t *)s->words.mapped != i) {
            (void)fprintf(stderr, "submission %u is waited for before it is done\n", i);
            exit(1);
        }
    }
    return 1000 * (pail_now_ms() - since) / EACH;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static struct side sides[2] = {{.name = "timeline"},
                                   {.name = "fences", .limits = {.no_timeline = true}}};
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 101;
    if (rounds < 1 || rounds > MOST) {
        (void)fprintf(stderr, "usage: bench_waits [ROUNDS, 1 to %d]\n", MOST);
        return 2;
    }
    const struct pail_vk_env env = {.debug = "nocache"};
    struct pail_vk_instance *instance;
    check(pail_vk_instance_create(&instance, &env, &error));
    for (int i = 0; i < 2; i++) {
        side_open(&sides[i], instance);
        (void)side_run(&sides[i]);
    }
    for (long r = 0; r < rounds; r++)
        for (int i = 0; i < 2; i++)
            sides[i].us[r] = side_run(&sides[i]);
    (void)printf("%s: a submission and the wait for it, in us; %ld rounds of %d in turns\n",
                 pail_vk_device_caps(sides[0].dev)->name, rounds, EACH);
    for (int i = 0; i < 2; i++) {
        struct side *const s = &sides[i];
        qsort(s->us, (size_t)rounds, sizeof(s->us[0]), by_value);
        (void)printf("%-10s least %7.2f  quarter %7.2f  median %7.2f\n", s->name, s->us[0],
                     s->us[rounds / 4], s->us[rounds / 2]);
        pail_vk_buffer_destroy(s->dev, &s->buffer);
        pail_vk_device_destroy(&s->dev);
    }
    pail_vk_instance_destroy(&instance);
    return 0;
}
