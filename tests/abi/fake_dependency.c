/* SPDX-License-Identifier: Apache-2.0 */
/* The library that the plugin with a dependency does not find. */
int fake_dependency(void);

int fake_dependency(void)
{
    return 1;
}
