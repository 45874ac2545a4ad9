/* cmocka with what it needs before it. */
#ifndef PAIL_TESTS_CMOCKA_ALL_H
#define PAIL_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif /* PAIL_TESTS_CMOCKA_ALL_H */
