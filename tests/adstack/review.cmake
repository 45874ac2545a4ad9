# SPDX-License-Identifier: Apache-2.0
# Points that looked wrong to a sceptical reader of the adstack service.
pail_add_test(unit_adstack_review SOURCES review.c LIBS test_adstack_service)
