/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "serve/page/page.h"

static const char type_of_json[] = "application/json";

void pail_answer_free(struct pail_answer *answer)
{
    free(answer->owned);
    *answer = (struct pail_answer){0};
}

/* text: to be freed; NULL: there was no memory for it. */
static void set_text(struct pail_answer *answer, unsigned status, const char *type, char *text)
{
    static const char no_memory[] = "{\"error\":\"no memory for the answer\"}";
    *answer = (struct pail_answer){.status = status,
                                   .type = type,
                                   .text = text,
                                   .bytes = text ? strlen(text) : 0,
                                   .owned = text};
    if (text)
        return;
    *answer = (struct pail_answer){
        .status = 500, .type = type_of_json, .text = no_memory, .bytes = sizeof(no_memory) - 1};
}

void pail_answer_refusal(struct pail_answer *answer, unsigned status, const char *sentence)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "error", sentence);
    json_t *const object = pail_json_take(&json);
    set_text(answer, status, type_of_json,
             object ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL);
    json_decref(object);
}

void pail_answer_service(struct pail_answer *answer, struct pail_service *service,
                         enum pail_service_answer said, const char *why)
{
    static const unsigned statuses[] = {
        [PAIL_SERVICE_OK] = 200,          [PAIL_SERVICE_NO_KEY] = 404,
        [PAIL_SERVICE_KEY_LOADING] = 503, [PAIL_SERVICE_KEY_BAD] = 422,
        [PAIL_SERVICE_EMPTY] = 400,       [PAIL_SERVICE_TOO_LARGE] = 413,
        [PAIL_SERVICE_FULL] = 503,        [PAIL_SERVICE_DRAINING] = 503,
        [PAIL_SERVICE_NO_MEMORY] = 503,   [PAIL_SERVICE_NO_JOB] = 404,
        [PAIL_SERVICE_NO_CIRCUIT] = 415,
    };
    pail_answer_refusal(answer, statuses[said],
                        said == PAIL_SERVICE_NO_JOB ? "there is no such job, or no more" : why);
    if (answer->status == 503)
        answer->retry_after_s = pail_service_retry_after(service);
}

void pail_answer_job(struct pail_answer *answer, struct pail_service *service, const char *id)
{
    char *text;
    bool ended;
    const enum pail_service_answer said = pail_service_job_text(&text, &ended, service, id);
    if (said == PAIL_SERVICE_NO_JOB) {
        pail_answer_service(answer, service, said, "");
        return;
    }
    set_text(answer, ended ? 200 : 202, type_of_json, text);
    if (!ended)
        (void)snprintf(answer->location, sizeof(answer->location), "/jobs/%s", id);
}

static void cancel(struct pail_answer *answer, struct pail_service *service, const char *id)
{
    const enum pail_service_answer said = pail_service_cancel(service, id);
    if (said == PAIL_SERVICE_OK)
        *answer = (struct pail_answer){.status = 204, .type = type_of_json, .text = ""};
    else
        pail_answer_service(answer, service, said, "");
}

static void answer_health(struct pail_answer *answer, struct pail_service *service)
{
    static const char ready[] = "{\"ready\":true}", not_ready[] = "{\"ready\":false}";
    size_t keys;
    const bool is_ready = pail_service_has_keys(service, &keys) && keys > 0;
    *answer = (struct pail_answer){.status = is_ready ? 200 : 503,
                                   .type = type_of_json,
                                   .text = is_ready ? ready : not_ready,
                                   .bytes = is_ready ? sizeof(ready) - 1 : sizeof(not_ready) - 1,
                                   .retry_after_s = is_ready ? 0 : 1};
}

void pail_answer_request(struct pail_answer *answer, struct pail_service *service,
                         const struct pail_request *request)
{
    switch (request->what) {
    case PAIL_REQUEST_PAGE:
        *answer = (struct pail_answer){.status = 200,
                                       .type = "text/html; charset=utf-8",
                                       .text = pail_page,
                                       .bytes = pail_page_bytes,
                                       .is_page = true};
        break;
    case PAIL_REQUEST_HEALTH:
        answer_health(answer, service);
        break;
    case PAIL_REQUEST_JOB:
        pail_answer_job(answer, service, request->id);
        break;
    case PAIL_REQUEST_CANCEL:
        cancel(answer, service, request->id);
        break;
    case PAIL_REQUEST_STATUS:
        set_text(answer, 200, type_of_json, pail_service_status_text(service));
        break;
    case PAIL_REQUEST_KEYS:
        set_text(answer, 200, type_of_json, pail_service_keys_text(service));
        break;
    case PAIL_REQUEST_SPANS:
        set_text(answer, 200, type_of_json, pail_service_spans_text(service, request->after));
        break;
    case PAIL_REQUEST_METRICS:
        set_text(answer, 200, "text/plain; version=0.0.4; charset=utf-8",
                 pail_service_metrics_text(service));
        break;
    case PAIL_REQUEST_PROVE:
        pail_answer_refusal(answer, 500, "a witness was taken for a question");
        break;
    }
}
