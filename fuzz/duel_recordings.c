// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "duel_recordings.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command.h"
#include "base/tool.h"

bool __wrap_child_start_program(child *process, const char *path, char *const *arguments);
void __wrap_tool_complain(const char *what, const char *format, ...);

static char folder[] = "/tmp/bks_fuzz_XXXXXX";
static pid_t owner;

bool __wrap_child_start_program(child *process, const char *path, char *const *arguments)
{
    (void)process;
    (void)path;
    (void)arguments;
    return false;
}

void __wrap_tool_complain(const char *what, const char *format, ...)
{
    // Format the text, because its values may be wrong.
    char text[4096];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    if (what != NULL && strlen(what) > sizeof(text)) {
        abort();
    }
}

static void must(bool is_so, const char *what)
{
    if (!is_so) {
        perror(what);
        abort();
    }
}

static const char *const names[] = {"peer-0.bks", "peer-1.bks", "A.bks",
                                    "B.bks",      "page.html",  "answer"};
enum { NAMES = sizeof(names) / sizeof(names[0]), PATH_BYTES = 64 };

const char *duel_file(const char *name)
{
    static char paths[NAMES][PATH_BYTES];
    size_t i = 0;
    while (i < NAMES && strcmp(names[i], name) != 0) {
        i++;
    }
    must(i < NAMES, name);
    (void)snprintf(paths[i], PATH_BYTES, "%s/%s", folder, name);
    return paths[i];
}

static void remove_folder(void)
{
    for (size_t i = 0; i < NAMES && owner == getpid(); i++) {
        (void)unlink(duel_file(names[i]));
    }
    if (owner == getpid()) {
        (void)rmdir(folder);
    }
}

void duel_file_write(const char *name, const uint8_t *bytes, size_t count)
{
    const int file = open(duel_file(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(file >= 0 && write(file, bytes, count) == (ssize_t)count, name);
    (void)close(file);
}

static void read_recording(const char *name, duel_recording *out)
{
    const int file = open(duel_file(name), O_RDONLY | O_CLOEXEC);
    const ssize_t count = file >= 0 ? read(file, out->bytes, sizeof(out->bytes)) : -1;
    must(count > 0 && count < (ssize_t)sizeof(out->bytes), name);
    (void)close(file);
    out->count = (size_t)count;
}

void duel_recordings_make(duel_recording out[2])
{
    static char words[][48] = {"lab",     "duel",
                               "--ticks", "60",
                               "--seed",  "1",
                               "--link",  "delay=30ms,loss=2%",
                               "--fault", "flip=1@30:once",
                               "--keep",  "marks,rollbacks",
                               "--record"};
    char *arguments[sizeof(words) / sizeof(words[0]) + 2] = {0};
    const int count = (int)(sizeof(words) / sizeof(words[0]));
    for (int i = 0; i < count; i++) {
        arguments[i] = words[i];
    }
    arguments[count] = folder;
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    must(nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0,
         "/dev/null");
    must(setenv("BKS_GAME_PATH", BKS_FUZZ_GAMES, 1) == 0, "setenv");
    owner = getpid();
    must(mkdtemp(folder) != NULL, folder);
    (void)atexit(remove_folder);
    const int status = cmd_lab(count + 1, arguments);
    must(dup2(err, STDERR_FILENO) >= 0, "stderr");
    must(status == TOOL_NO, "bks lab");
    read_recording("peer-0.bks", &out[0]);
    read_recording("peer-1.bks", &out[1]);
}
