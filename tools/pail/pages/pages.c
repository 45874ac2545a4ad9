/* pail-pages FOLDER: writes every page and completion into FOLDER, under the paths that they have
 * below share/ of an installation. */
#define _POSIX_C_SOURCE 200809L

#include "pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error/exit.h"

void pail_page_text(FILE *out, const char *text, const char *escaped, const char *quote)
{
    for (; *text != '\0'; text++)
        if (*text == '\'')
            (void)fputs(quote, out);
        else
            (void)fprintf(out, strchr(escaped, *text) != NULL ? "\\%c" : "%c", *text);
}

bool pail_page_is_set(const struct pail_option *row)
{
    return row->kind == PAIL_OPTION_SET || (row->kind == PAIL_OPTION_TEXT && row->values != NULL);
}

bool pail_page_values(FILE *out, const struct pail_option *row)
{
    const char *name;
    size_t i = 0;
    for (; (name = pail_option_value(row, i)) != NULL; i++)
        (void)fprintf(out, "%s%s", i > 0 ? " " : "", name);
    if (pail_page_is_set(row))
        (void)fputs(" all", out);
    return i > 0;
}

const char *pail_page_name(char text[64], const struct pail_command *command)
{
    (void)snprintf(text, 64, "%s", command->name);
    for (char *at = strchr(text, ' '); at != NULL; at = strchr(at, ' '))
        *at = '-';
    return text;
}

bool pail_page_shows(const struct pail_option *row)
{
    return row->name != NULL && !row->hidden;
}

void pail_page_families(FILE *out, void (*visit)(FILE *out, const char *family))
{
    const struct pail_command *command;
    char family[32] = "";
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++) {
        const size_t length = strcspn(command->name, " ");
        if (command->name[length] == '\0' || pail_command_in_family(command, family))
            continue;
        (void)snprintf(family, sizeof(family), "%.*s", (int)length, command->name);
        visit(out, family);
    }
}

bool pail_page_is_command(const char *family)
{
    const struct pail_command *command;
    for (size_t i = 0; (command = pail_command_at(i)) != NULL; i++)
        if (strcmp(command->name, family) == 0)
            return true;
    return false;
}

/* The file, with its folders, for writing; NULL with a sentence. */
static FILE *make_file(const char *folder, const char *name, struct pail_error *error)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777); /* a failure here fails fopen below */
        *slash = '/';
    }
    FILE *const out = fopen(path, "w");
    if (out == NULL)
        (void)pail_fail(error, PAIL_ERR_IO, "%s: %s", path, strerror(errno));
    return out;
}

static void end_file(FILE *out, const char *name, struct pail_error *error)
{
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        (void)pail_fail(error, PAIL_ERR_IO, "%s cannot be written: %s", name, strerror(errno));
}

static void write_page(const char *folder, const char *name, void (*write)(FILE *out),
                       struct pail_error *error)
{
    FILE *const out = error->status == PAIL_OK ? make_file(folder, name, error) : NULL;
    if (out == NULL)
        return;
    write(out);
    end_file(out, name, error);
}

int main(int argc, char **argv)
{
    struct pail_error error = {0};
    const struct pail_command *command;
    if (argc != 2)
        (void)pail_fail(&error, PAIL_ERR_ARGUMENT, "usage: pail-pages FOLDER");
    write_page(argv[1], "man/man1/pail.1", pail_page_program, &error);
    write_page(argv[1], "bash-completion/completions/pail", pail_page_bash, &error);
    write_page(argv[1], "zsh/site-functions/_pail", pail_page_zsh, &error);
    write_page(argv[1], "fish/vendor_completions.d/pail.fish", pail_page_fish, &error);
    for (size_t i = 0; error.status == PAIL_OK && (command = pail_command_at(i)) != NULL; i++) {
        char name[128], text[64];
        (void)snprintf(name, sizeof(name), "man/man1/pail-%s.1", pail_page_name(text, command));
        FILE *const out = make_file(argv[1], name, &error);
        if (out == NULL)
            break;
        pail_page_command(out, command);
        end_file(out, name, &error);
    }
    return (int)pail_exit(&error);
}
