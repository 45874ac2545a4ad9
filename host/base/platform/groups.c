#include "groups.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

void pail_each_group(const char *proc, const char *cgroup,
                     void (*look)(void *user, const char *folder), void *user)
{
    char path[PATH_BYTES], line[PATH_BYTES / 2];
    (void)snprintf(path, sizeof(path), "%s/self/cgroup", proc);
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return;
    bool found = false;
    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = strncmp(line, "0::/", 4) == 0;
    (void)fclose(file);
    if (!found)
        return;
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(path, sizeof(path), "%s%s", cgroup, line + 3);
    const size_t root = strlen(cgroup);
    for (char *slash = path + strlen(path); slash != NULL && slash >= path + root;
         slash = strrchr(path, '/')) {
        *slash = '\0';
        look(user, path);
        if (slash == path + root)
            break;
    }
}
