/* SPDX-License-Identifier: Apache-2.0 */
/* The page of the status, made of page.html, page.css and page.js when this is built. */
#ifndef PAIL_TOOL_SERVE_PAGE_H
#define PAIL_TOOL_SERVE_PAGE_H

#include <stddef.h>

extern const char pail_page[];
extern const size_t pail_page_bytes;
/* The page's Content-Security-Policy: its script and its style, by their hashes, and nothing else.
 */
extern const char pail_page_policy[];

#endif /* PAIL_TOOL_SERVE_PAGE_H */
