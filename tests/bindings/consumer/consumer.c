/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the version of the library, the backends that it finds and where it finds them. */
#include <pail/encoding.h>
#include <pail/groth16.h>
#include <pail/pail.h>

#include <stdio.h>

int main(void)
{
    pail_registry *registry = NULL;
    char error[512];
    if (pail_registry_create(&registry, NULL, error, sizeof error) != PAIL_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    printf("version %s\n", pail_version());
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof entry};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK)
            return 1;
        printf("backend %s %s\n", entry.name ? entry.name : "?",
               entry.path ? entry.path : "built-in");
    }
    pail_registry_destroy(&registry);
    return 0;
}
