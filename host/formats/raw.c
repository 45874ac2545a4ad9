#include "raw.h"

#include "report.h"

pail_status pail_raw_open(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap)
{
    *raw = (struct pail_raw){0};
    struct pail_file file;
    pail_status status = pail_file_open(&file, path, error, error_cap);
    if (status == PAIL_OK && file.size % element_bytes != 0)
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: has %zu bytes, which is no multiple of the %zu bytes of a %s",
                             path, file.size, element_bytes, what);
    if (status == PAIL_OK)
        status = pail_file_load(&raw->bytes, &file, file.size, 0, error, error_cap);
    if (status == PAIL_OK) {
        raw->element_bytes = element_bytes;
        raw->count = file.size / element_bytes;
    }
    pail_file_close(&file);
    return status;
}

void pail_raw_close(struct pail_raw *raw)
{
    pail_bytes_free(&raw->bytes, true); /* scalars are secrets, and nobody says which these are */
    *raw = (struct pail_raw){0};
}
