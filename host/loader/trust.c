#include "trust.h"

#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Cuts the last component off a resolved path; false at the root. */
static bool go_up(char *path)
{
    if (strcmp(path, "/") == 0) {
        return false;
    }
    char *slash = strrchr(path, '/');
    slash[slash == path ? 1 : 0] = '\0';
    return true;
}

static bool has_user(const struct pail_trust *trust, uid_t user)
{
    for (size_t i = 0; i < trust->n_users; ++i) {
        if (trust->users[i] == user) {
            return true;
        }
    }
    return false;
}

static bool has_group(const struct pail_trust *trust, gid_t group)
{
    for (size_t i = 0; i < trust->n_groups; ++i) {
        if (trust->groups[i] == group) {
            return true;
        }
    }
    return false;
}

/* A full list trusts fewer, never more. */
static void add_user(struct pail_trust *trust, uid_t user)
{
    if (trust->n_users < PAIL_TRUST_MAX && !has_user(trust, user)) {
        trust->users[trust->n_users++] = user;
    }
}

static void add_group(struct pail_trust *trust, gid_t group)
{
    if (trust->n_groups < PAIL_TRUST_MAX && !has_group(trust, group)) {
        trust->groups[trust->n_groups++] = group;
    }
}

void pail_trust_init(struct pail_trust *trust, const char *library)
{
    *trust = (struct pail_trust){.n_users = 0};
    add_user(trust, 0);
    add_user(trust, geteuid());
    add_group(trust, 0);
    add_group(trust, getegid());

    char path[PATH_MAX];
    if (!library || strlen(library) >= sizeof path) {
        return;
    }
    memcpy(path, library, strlen(library) + 1);
    do {
        struct stat info;
        if (stat(path, &info) != 0) {
            return;
        }
        add_user(trust, info.st_uid);
        /* In a sticky folder a group cannot replace what others own. */
        if ((info.st_mode & S_IWGRP) && !(info.st_mode & S_ISVTX)) {
            add_group(trust, info.st_gid);
        }
    } while (go_up(path));
}

/* sticky_helps: the next component below was found to belong to somebody trusted, and in a sticky
 * folder only its owner can rename or remove it. */
static bool check_one(const struct pail_trust *trust, const char *path, const struct stat *info,
                      bool sticky_helps, char *reason, size_t capacity)
{
    const unsigned mode = (unsigned)info->st_mode & 07777u;
    if (!has_user(trust, info->st_uid)) {
        pail_say(reason, capacity, "%s belongs to user %lu, who is not trusted", path,
                 (unsigned long)info->st_uid);
        return false;
    }
    if (sticky_helps && (mode & S_ISVTX)) {
        return true;
    }
    if (mode & S_IWOTH) {
        pail_say(reason, capacity, "%s is writable by everybody (mode %04o)", path, mode);
        return false;
    }
    if ((mode & S_IWGRP) && !has_group(trust, info->st_gid)) {
        pail_say(reason, capacity, "%s is writable by group %lu (mode %04o), which is not trusted",
                 path, (unsigned long)info->st_gid, mode);
        return false;
    }
    return true;
}

bool pail_trust_check(const struct pail_trust *trust, const char *path, char *reason,
                      size_t capacity)
{
    char walk[PATH_MAX];
    if (strlen(path) >= sizeof walk) {
        pail_say(reason, capacity, "the path is longer than %d bytes", PATH_MAX);
        return false;
    }
    memcpy(walk, path, strlen(path) + 1);

    bool in_holder = false; /* at or above the folder that holds the plugin */
    do {
        struct stat info;
        if (stat(walk, &info) != 0) {
            pail_say(reason, capacity, "%s cannot be examined: %s", walk, strerror(errno));
            return false;
        }
        if (!check_one(trust, walk, &info, in_holder, reason, capacity)) {
            return false;
        }
        in_holder = in_holder || S_ISDIR(info.st_mode);
    } while (go_up(walk));
    return true;
}
