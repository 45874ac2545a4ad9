/* SPDX-License-Identifier: Apache-2.0 */
/* Owners and lists of access rights. People and groups have names of any length here (SID): each is
 * given a number, the same as long as the process lives. 0 is who may do everything in any case:
 * the system, its installer and the administrators. */
#include "platform/trust.h"

#include "system.h"

#include <aclapi.h>
#include <errno.h>
#include <pthread.h>
#include <sddl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KNOWN_MAX = 256, SID_BYTES = SECURITY_MAX_SID_SIZE, NOBODY = UINT32_MAX, OURS = 1 };

static struct {
    pthread_mutex_t mutex;
    uint8_t sids[KNOWN_MAX][SID_BYTES]; /* from number 2 on */
    uint32_t n;
} known = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_once_t once;
    uint8_t user[SID_BYTES], owner[SID_BYTES], everybody[SID_BYTES], all[3][SID_BYTES];
    bool good;
} people = {.once = PTHREAD_ONCE_INIT};

static bool keep(uint8_t to[SID_BYTES], PSID sid)
{
    return sid && IsValidSid(sid) && CopySid(SID_BYTES, to, sid);
}

static bool keep_of_token(uint8_t to[SID_BYTES], HANDLE token, TOKEN_INFORMATION_CLASS what)
{
    union {
        TOKEN_USER user;
        TOKEN_OWNER owner;
        uint8_t bytes[sizeof(TOKEN_USER) + SID_BYTES];
    } answer;
    DWORD n = 0;
    return GetTokenInformation(token, what, &answer, sizeof(answer), &n) &&
           keep(to, what == TokenUser ? answer.user.User.Sid : answer.owner.Owner);
}

static bool keep_text(uint8_t to[SID_BYTES], const wchar_t *text)
{
    PSID sid = NULL;
    const bool good = ConvertStringSidToSidW(text, &sid) && keep(to, sid);
    (void)LocalFree(sid);
    return good;
}

static void look_once(void)
{
    HANDLE token;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return;
    people.good =
        keep_of_token(people.user, token, TokenUser) &&
        keep_of_token(people.owner, token, TokenOwner) && keep_text(people.everybody, L"S-1-1-0") &&
        keep_text(people.all[0], L"S-1-5-18") && keep_text(people.all[1], L"S-1-5-32-544") &&
        keep_text(people.all[2], L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464");
    (void)CloseHandle(token);
}

static bool look_at_people(void)
{
    (void)pthread_once(&people.once, look_once);
    return people.good;
}

/* NOBODY: there are too many. The owner of the files that we make is ourselves: an administrator's
 * files belong to all of them. */
static uint32_t number_of(PSID sid)
{
    if (EqualSid(sid, people.user) || EqualSid(sid, people.owner))
        return OURS;
    for (size_t i = 0; i < sizeof(people.all) / sizeof(people.all[0]); i++)
        if (EqualSid(sid, people.all[i]))
            return 0;
    uint32_t number = NOBODY;
    pthread_mutex_lock(&known.mutex);
    for (uint32_t i = 0; i < known.n && number == NOBODY; i++)
        if (EqualSid(sid, known.sids[i]))
            number = i + 2;
    if (number == NOBODY && known.n < KNOWN_MAX && keep(known.sids[known.n], sid))
        number = known.n++ + 2;
    pthread_mutex_unlock(&known.mutex);
    return number;
}

uid_t geteuid(void)
{
    return look_at_people() ? OURS : NOBODY;
}

/* No group is trusted for that the process is in it: most people are in some. */
gid_t getegid(void)
{
    return 0;
}

/* "DOMAIN\name", or the SID in digits. */
static void name_of(char *name, size_t capacity, uint32_t number)
{
    wchar_t account[256], domain[256];
    DWORD n = 256, m = 256;
    SID_NAME_USE use;
    char *text = NULL;
    pail_line(name, capacity, "somebody");
    if (number < 2 || number - 2 >= KNOWN_MAX) {
        if (number < 2)
            pail_line(name, capacity, number == OURS ? "this user" : "the administrators");
        return;
    }
    uint8_t *const sid = known.sids[number - 2]; /* never changes, once it has a number */
    if (LookupAccountSidW(NULL, sid, account, &n, domain, &m, &use)) {
        char *const first = pail_narrow(domain), *const last = pail_narrow(account);
        if (first && last)
            pail_line(name, capacity, "%s%s%s", first, first[0] ? "\\" : "", last);
        free(first);
        free(last);
    } else if (ConvertSidToStringSidA(sid, &text)) {
        pail_line(name, capacity, "%s", text);
        (void)LocalFree(text);
    }
}

void pail_trusted_add_user(struct pail_trusted *trusted, uid_t user)
{
    if (user != NOBODY && trusted->n_users < PAIL_TRUSTED_MAX &&
        !pail_trusted_has_user(trusted, user))
        trusted->users[trusted->n_users++] = user;
}

void pail_trusted_add_group(struct pail_trusted *trusted, gid_t group)
{
    (void)trusted, (void)group; /* a group is one more SID, and is a user here */
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Rights to change or replace something, and among them those that only add to a folder. */
static const DWORD changes = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE |
                             WRITE_DAC | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;
static const DWORD additions = FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY;

/* Adds the writer of one entry. False: it cannot be judged. */
static bool add_entry(struct pail_writers *writers, const ACE_HEADER *entry, char *reason,
                      size_t capacity)
{
    if (entry->AceFlags & INHERIT_ONLY_ACE)
        return true;
    switch (entry->AceType) {
    case ACCESS_ALLOWED_ACE_TYPE:
    case ACCESS_ALLOWED_CALLBACK_ACE_TYPE: /* a condition is taken as met */
        break;
    case ACCESS_DENIED_ACE_TYPE: /* takes rights away, which is not counted on */
    case ACCESS_DENIED_CALLBACK_ACE_TYPE:
    case ACCESS_DENIED_OBJECT_ACE_TYPE:
        return true;
    default:
        return pail_trusted_refuse(
            reason, capacity,
            "has an access control list that cannot be judged: it has an entry of kind "
            "%u",
            entry->AceType);
    }
    const ACCESS_ALLOWED_ACE *const allowed = (const void *)entry;
    const DWORD mask = allowed->Mask & changes;
    if (mask == 0)
        return true;
    const PSID sid = (PSID)(uintptr_t)&allowed->SidStart;
    struct pail_writer writer = {.kind = PAIL_WRITER_EVERYBODY};
    if (!EqualSid(sid, people.everybody))
        writer = (struct pail_writer){.kind = PAIL_WRITER_ACL_USER, .id = number_of(sid)};
    if (writer.kind == PAIL_WRITER_ACL_USER && writer.id <= OURS)
        return true;
    if (writers->n == PAIL_WRITERS_MAX)
        return pail_trusted_refuse(
            reason, capacity,
            "has an access control list that cannot be judged: more than %u may write",
            PAIL_WRITERS_MAX);
    /* The folder counts as sticky, as in POSIX, while nobody else may do more than add to it. */
    if (!writers->is_folder || (mask & ~additions) != 0)
        writers->mode &= (mode_t)~S_ISVTX;
    writers->list[writers->n++] = writer;
    return true;
}

static bool read_list(struct pail_writers *writers, HANDLE handle, char *reason, size_t capacity)
{
    BY_HANDLE_FILE_INFORMATION info;
    PSECURITY_DESCRIPTOR descriptor = NULL;
    PSID owner = NULL;
    PACL list = NULL;
    if (!look_at_people())
        return pail_trusted_refuse(reason, capacity,
                                   "cannot be judged: the system does not say who this is");
    if (!GetFileInformationByHandle(handle, &info)) {
        (void)pail_system_failed(GetLastError());
        return pail_trusted_refuse(reason, capacity, "cannot be examined: %s", strerror(errno));
    }
    const DWORD error = GetSecurityInfo(handle, SE_FILE_OBJECT,
                                        OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                        &owner, NULL, &list, NULL, &descriptor);
    if (error != ERROR_SUCCESS || !owner) {
        (void)pail_system_failed(error);
        return pail_trusted_refuse(reason, capacity,
                                   "has an access control list that cannot be read: %s",
                                   strerror(errno));
    }
    *writers = (struct pail_writers){
        .owner = number_of(owner),
        .mode = S_ISVTX,
        .is_folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0,
    };
    bool good = true;
    if (!list) { /* no list at all: everybody may do everything */
        writers->mode = 0;
        writers->list[writers->n++].kind = PAIL_WRITER_EVERYBODY;
    }
    for (DWORD i = 0; good && list && i < list->AceCount; i++) {
        void *entry;
        good = GetAce(list, i, &entry)
                   ? add_entry(writers, entry, reason, capacity)
                   : pail_trusted_refuse(reason, capacity,
                                         "has an access control list that is damaged");
    }
    (void)LocalFree(descriptor);
    return good;
}

bool pail_writers_of_path(struct pail_writers *writers, const char *path, char *reason,
                          size_t capacity)
{
    wchar_t wide[PAIL_WIDE_PATH];
    if (!pail_wide(wide, path))
        return pail_trusted_refuse(reason, capacity, "cannot be examined: %s", strerror(errno));
    const HANDLE handle = CreateFileW(wide, READ_CONTROL | FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        (void)pail_system_failed(GetLastError());
        return pail_trusted_refuse(reason, capacity, "cannot be examined: %s", strerror(errno));
    }
    const bool good = read_list(writers, handle, reason, capacity);
    (void)CloseHandle(handle);
    return good;
}

bool pail_writers_of_file(struct pail_writers *writers, int file, char *reason, size_t capacity)
{
    const HANDLE handle = pail_handle(file);
    if (handle == INVALID_HANDLE_VALUE)
        return pail_trusted_refuse(reason, capacity, "cannot be examined: %s", strerror(errno));
    return read_list(writers, handle, reason, capacity);
}

bool pail_writers_are_trusted(const struct pail_writers *writers,
                              const struct pail_trusted *trusted, bool sticky_helps, char *reason,
                              size_t capacity)
{
    char name[128];
    if (!pail_trusted_has_user(trusted, writers->owner)) {
        name_of(name, sizeof(name), writers->owner);
        return pail_trusted_refuse(reason, capacity, "belongs to %s, who is not trusted", name);
    }
    if (sticky_helps && (writers->mode & S_ISVTX))
        return true;
    for (size_t i = 0; i < writers->n; i++) {
        const struct pail_writer *const writer = &writers->list[i];
        if (writer->kind == PAIL_WRITER_EVERYBODY)
            return pail_trusted_refuse(reason, capacity, "is writable by everybody");
        if (pail_trusted_has_user(trusted, writer->id))
            continue;
        name_of(name, sizeof(name), writer->id);
        return pail_trusted_refuse(
            reason, capacity, "is writable by '%s', who is not trusted, by its access control list",
            name);
    }
    return true;
}
