/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAIL_TESTS_SPIRV_UNLOAD_OBJECT_H
#define PAIL_TESTS_SPIRV_UNLOAD_OBJECT_H

/* Both return an enum pail_spirv_status. */
__attribute__((visibility("default"))) int spirv_unload_touch(void); /* starts and stops glslang */
__attribute__((visibility("default"))) int spirv_unload_compile(void); /* compiles a kernel */

#endif /* PAIL_TESTS_SPIRV_UNLOAD_OBJECT_H */
