/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/processors.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/process.h"
#include "platform/text.h"

enum { LINE_BYTES = 4096, NODES_MAX = 1024 };

/* A call has chosen the processors, so the environment does not. */
static atomic_bool chosen;

static const char system_nodes[] = "/sys/devices/system/node";

static void add(struct pail_processors *set, uint32_t i)
{
    set->count += !pail_processors_has(set, i);
    set->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static bool read_number(unsigned long *number, const char **text)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return *number < PAIL_PROCESSORS_MAX;
}

bool pail_processors_read(struct pail_processors *set, const char *text)
{
    memset(set, 0, sizeof(*set));
    for (bool more = true; more;) {
        unsigned long first = 0;
        bool good = read_number(&first, &text);
        unsigned long last = first;
        if (good && *text == '-') {
            text++;
            good = read_number(&last, &text) && last >= first;
        }
        more = good && *text == ',';
        if (!good || (!more && *text != '\0' && *text != '\n')) {
            memset(set, 0, sizeof(*set));
            return false;
        }
        for (unsigned long i = first; i <= last; i++)
            add(set, (uint32_t)i);
        text += more;
    }
    return true;
}

const char *pail_processors_text(char *text, size_t capacity, const struct pail_processors *set)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < PAIL_PROCESSORS_MAX && used < capacity; i++) {
        if (!pail_processors_has(set, i))
            continue;
        const uint32_t first = i;
        while (pail_processors_has(set, i + 1))
            i++;
        char range[32] = "";
        if (i > first)
            (void)snprintf(range, sizeof(range), "-%" PRIu32, i);
        const int n = snprintf(text + used, capacity - used, "%s%" PRIu32 "%s",
                               used == 0 ? "" : ",", first, range);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* Keeps what is in both. */
static void keep(struct pail_processors *set, const struct pail_processors *other)
{
    const struct pail_processors before = *set;
    memset(set, 0, sizeof(*set));
    for (uint32_t i = 0; i < PAIL_PROCESSORS_MAX; i++)
        if (pail_processors_has(&before, i) && pail_processors_has(other, i))
            add(set, i);
}

static bool read_file(char line[LINE_BYTES], const char *path)
{
    FILE *const file = fopen(path, "re");
    if (!file)
        return false;
    const bool read = fgets(line, LINE_BYTES, file) != NULL;
    (void)fclose(file);
    return read;
}

/* The processors of a node; false: it is not there. A node may have memory alone. */
static bool read_node(struct pail_processors *set, const char *nodes, uint32_t node)
{
    char path[LINE_BYTES], line[LINE_BYTES];
    (void)snprintf(path, sizeof(path), "%s/node%" PRIu32 "/cpulist", nodes, node);
    if (!read_file(line, path))
        return false;
    if (line[0] == '\n' || line[0] == '\0') {
        memset(set, 0, sizeof(*set));
        return true;
    }
    return pail_processors_read(set, line);
}

static bool refuse(char *sentence, size_t capacity, const char *name, const char *value,
                   const char *why)
{
    if (capacity > 0)
        (void)pail_line(sentence, capacity, "%s %s: %s", name, value, why);
    return false;
}

bool pail_processors_choose(struct pail_processors *set, const char *cpus_name, const char *cpus,
                            const char *numa_name, const char *numa, const char *nodes,
                            char *sentence, size_t capacity)
{
    static const char form[] = "expected numbers such as 0-3,8";
    struct pail_processors some;
    pail_processors_get(set);
    if (set->count == 0)
        return refuse(sentence, capacity, cpus && *cpus ? cpus_name : numa_name,
                      cpus && *cpus ? cpus : numa,
                      "this system does not say on which processors a thread runs");
    if (cpus && *cpus) {
        if (!pail_processors_read(&some, cpus))
            return refuse(sentence, capacity, cpus_name, cpus, form);
        keep(set, &some);
        if (set->count == 0)
            return refuse(sentence, capacity, cpus_name, cpus,
                          "this process may run on none of these processors");
    }
    if (!numa || !*numa)
        return true;
    struct pail_processors wanted, of_nodes = {.count = 0};
    if (!pail_processors_read(&wanted, numa))
        return refuse(sentence, capacity, numa_name, numa, form);
    for (uint32_t node = 0; node < PAIL_PROCESSORS_MAX; node++) {
        if (!pail_processors_has(&wanted, node))
            continue;
        if (!read_node(&some, nodes ? nodes : system_nodes, node))
            return refuse(sentence, capacity, numa_name, numa, "there is no such NUMA node");
        for (uint32_t i = 0; i < PAIL_PROCESSORS_MAX; i++)
            if (pail_processors_has(&some, i))
                add(&of_nodes, i);
    }
    keep(set, &of_nodes);
    return set->count != 0 || refuse(sentence, capacity, numa_name, numa,
                                     "this process may run on no processor of it");
}

bool pail_processors_of_environment(struct pail_processors *set, char *sentence, size_t capacity)
{
    const char *const cpus = pail_env("PAIL_CPUS"), *const numa = pail_env("PAIL_NUMA");
    memset(set, 0, sizeof(*set));
    if (atomic_load(&chosen) || ((!cpus || !*cpus) && (!numa || !*numa)))
        return true;
    return pail_processors_choose(set, "PAIL_CPUS", cpus, "PAIL_NUMA", numa, NULL, sentence,
                                  capacity);
}

void pail_processors_chosen(void)
{
    atomic_store(&chosen, true);
}

void pail_processors_of_threads(struct pail_processors *set)
{
    if (!pail_processors_of_environment(set, NULL, 0) || set->count == 0)
        pail_processors_get(set);
}

uint32_t pail_numa_nodes(void)
{
    uint32_t n = 0;
    struct pail_processors set;
    for (uint32_t node = 0; node < NODES_MAX; node++)
        n += read_node(&set, system_nodes, node);
    return n;
}

const char *pail_huge_pages(char word[32])
{
    char line[LINE_BYTES];
    if (!read_file(line, "/sys/kernel/mm/transparent_hugepage/enabled"))
        return NULL;
    const char *const open = strchr(line, '[');
    const size_t length = open ? strcspn(open + 1, "]") : 0;
    if (length == 0 || length >= 32 || open[1 + length] != ']')
        return NULL;
    memcpy(word, open + 1, length);
    word[length] = '\0';
    return word;
}
