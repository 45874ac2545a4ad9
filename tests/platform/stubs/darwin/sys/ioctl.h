/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_IOCTL_H
#define STUB_SYS_IOCTL_H
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
enum { TIOCGWINSZ = 0x40087468 };
int ioctl(int file, unsigned long request, ...);
#endif
