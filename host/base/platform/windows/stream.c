#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *fdopen(int file, const char *mode)
{
    char binary[4] = {mode[0], 'b', strchr(mode, '+') ? '+' : '\0', '\0'};
    return _fdopen(file, binary);
}

FILE *fopen(const char *path, const char *mode)
{
    const int ways = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    const int made = mode[0] == 'r' ? 0 : mode[0] == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    const int file = open(path, ways | made);
    if (file < 0)
        return NULL;
    FILE *const stream = fdopen(file, mode);
    if (!stream)
        (void)close(file);
    return stream;
}

ssize_t getline(char **line, size_t *capacity, FILE *stream)
{
    size_t n = 0;
    int byte = 0;
    while (byte != '\n' && (byte = getc(stream)) != EOF) {
        if (n + 2 > *capacity || !*line) {
            const size_t more = *capacity < 128 ? 128 : 2 * *capacity;
            char *const larger = realloc(*line, more);
            if (!larger)
                return -1;
            *line = larger;
            *capacity = more;
        }
        (*line)[n++] = (char)byte;
    }
    if (n == 0)
        return -1;
    (*line)[n] = '\0';
    return (ssize_t)n;
}

char *strndup(const char *text, size_t n)
{
    const size_t length = strnlen(text, n);
    char *const copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}
