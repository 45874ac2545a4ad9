#include "raw.h"

#include "report.h"

pail_status pail_raw_open(struct pail_raw *raw, const char *path, size_t element_bytes,
                          const char *what, char *error, size_t error_cap)
{
    *raw = (struct pail_raw){0};
    struct pail_file file;
    const pail_status status = pail_file_open(&file, path, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (file.size % element_bytes != 0) {
        const size_t size = file.size;
        pail_file_close(&file);
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %zu bytes, which is no multiple of the %zu bytes of a %s", path,
                           size, element_bytes, what);
    }
    *raw = (struct pail_raw){
        .file = file, .element_bytes = element_bytes, .count = file.size / element_bytes};
    return PAIL_OK;
}

void pail_raw_close(struct pail_raw *raw)
{
    pail_file_close(&raw->file);
    *raw = (struct pail_raw){0};
}
