/* Names and kinds of statuses, and the version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pail/pail.h>

static void names_of_statuses(void **state)
{
    (void)state;
    assert_string_equal(pail_status_name(PAIL_OK), "PAIL_OK");
    assert_string_equal(pail_status_name(PAIL_ERR_DEVICE_LOST), "PAIL_ERR_DEVICE_LOST");
    assert_string_equal(pail_status_name((pail_status)12345), "unknown status");
    assert_string_equal(pail_version(), PAIL_TEST_VERSION);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_OK), PAIL_KIND_OK);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_NOT_READY), PAIL_KIND_OK);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_ERR_ABI), PAIL_KIND_CALLER);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_ERR_INTERNAL), PAIL_KIND_WORLD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_statuses),
    };
    return cmocka_run_group_tests_name("abi/statuses", tests, NULL, NULL);
}
