/* The environment, as far as it may be believed. */
#ifndef PAIL_PLATFORM_ENV_H
#define PAIL_PLATFORM_ENV_H

/* The value of an environment variable, or NULL when it is not set. A process that has more rights
 * than the user who started it (AT_SECURE: set-user-ID, set-group-ID, file capabilities) sees none:
 * its environment is that user's. Every variable of Pail is read through this. */
const char *pail_env(const char *name);

#endif /* PAIL_PLATFORM_ENV_H */
