#include "raw.h"

#include "report.h"

pail_status pail_raw_open(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap)
{
    *raw = (struct pail_raw){0};
    pail_status status = pail_file_open(&raw->file, path, error, error_cap);
    if (status == PAIL_OK && raw->file.size % element_bytes != 0)
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: has %zu bytes, which is no multiple of the %zu bytes of a %s",
                             path, raw->file.size, element_bytes, what);
    if (status != PAIL_OK) {
        pail_raw_close(raw);
        return status;
    }
    raw->element_bytes = element_bytes;
    raw->count = raw->file.size / element_bytes;
    return PAIL_OK;
}

pail_status pail_raw_load(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap)
{
    pail_status status = pail_raw_open(raw, path, element_bytes, what, error, error_cap);
    if (status == PAIL_OK)
        status = pail_file_load(&raw->bytes, &raw->file, raw->file.size, 0, error, error_cap);
    pail_file_close(&raw->file);
    if (status != PAIL_OK)
        pail_raw_close(raw);
    return status;
}

void pail_raw_close(struct pail_raw *raw)
{
    pail_file_close(&raw->file);
    pail_bytes_free(&raw->bytes, true); /* scalars are secrets, and the file may have some */
    *raw = (struct pail_raw){0};
}
