/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_SYS_ACL_H
#define STUB_SYS_ACL_H
#include <sys/types.h>
typedef struct stub_acl *acl_t;
typedef struct stub_acl_entry *acl_entry_t;
typedef struct stub_acl_permset *acl_permset_t;
typedef struct stub_acl_flagset *acl_flagset_t;
typedef enum {
    ACL_READ_DATA = 1 << 1,
    ACL_WRITE_DATA = 1 << 2,
    ACL_DELETE = 1 << 4,
    ACL_APPEND_DATA = 1 << 5,
    ACL_DELETE_CHILD = 1 << 6,
    ACL_WRITE_ATTRIBUTES = 1 << 8,
    ACL_WRITE_SECURITY = 1 << 12,
    ACL_CHANGE_OWNER = 1 << 13
} acl_perm_t;
typedef enum { ACL_UNDEFINED_TAG = 0, ACL_EXTENDED_ALLOW = 1, ACL_EXTENDED_DENY = 2 } acl_tag_t;
typedef enum { ACL_TYPE_EXTENDED = 0x100 } acl_type_t;
typedef enum { ACL_ENTRY_INHERITED = 1 << 4, ACL_ENTRY_ONLY_INHERIT = 1 << 8 } acl_flag_t;
enum { ACL_FIRST_ENTRY = 0, ACL_NEXT_ENTRY = -1 };
int acl_free(void *object);
acl_t acl_get_file(const char *path, acl_type_t type);
acl_t acl_get_fd_np(int file, acl_type_t type);
int acl_get_entry(acl_t acl, int which, acl_entry_t *entry);
int acl_get_tag_type(acl_entry_t entry, acl_tag_t *tag);
int acl_get_permset(acl_entry_t entry, acl_permset_t *rights);
int acl_get_perm_np(acl_permset_t rights, acl_perm_t right);
int acl_get_flagset_np(void *object, acl_flagset_t *flags);
int acl_get_flag_np(acl_flagset_t flags, acl_flag_t flag);
void *acl_get_qualifier(acl_entry_t entry);
#endif
