// SPDX-License-Identifier: MIT

// The program bks as a server for mutated.py. It forks for each request, so that no command costs
// the start of a program. A request is a line of words divided by tabs: a folder to work in, a file
// for what is said on stderr, the most seconds of processor time, 1 if the commands may start
// processes or else 0, and the words of one or more commands, which run one after another, each
// after a word "bks". The answer is a line: the wait status, microseconds of processor time and KiB
// of memory at most, of all commands and of the processes that they waited for. The wait status is
// that of the greatest exit status.

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command.h"
#include "base/tool.h"

/// Seconds after which commands that wait for ever are ended.
enum { PATIENCE_S = 900 };

enum { LINE_BYTES = 32768, WORDS_MAX = 512, FOLDER = 0, SAID, SECONDS, PROCESSES, COMMANDS };

static bool may_start;

bool __real_child_start_program(child *process, const char *path, char *const *arguments);
bool __wrap_child_start_program(child *process, const char *path, char *const *arguments);

bool __wrap_child_start_program(child *process, const char *path, char *const *arguments)
{
    return may_start && __real_child_start_program(process, path, arguments);
}

static _Noreturn void fail(const char *what)
{
    perror(what);
    abort();
}

static void replace_stream(int stream, const char *path, int how)
{
    const int file = open(path, how | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, stream) < 0) {
        fail(path);
    }
    (void)close(file);
}

static void limit_time(const char *text)
{
    const rlim_t seconds = strtoul(text, NULL, 10);
    const struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds};
    if (setrlimit(RLIMIT_CPU, &limit) != 0) {
        fail("setrlimit");
    }
}

// Run the commands in the forked process.
static _Noreturn void run(char **words, int count)
{
    int worst = TOOL_OK;
    if (chdir(words[FOLDER]) != 0) {
        fail(words[FOLDER]);
    }
    replace_stream(STDERR_FILENO, words[SAID], O_WRONLY | O_CREAT | O_TRUNC);
    replace_stream(STDIN_FILENO, "/dev/null", O_RDONLY);
    replace_stream(STDOUT_FILENO, "/dev/null", O_WRONLY);
    limit_time(words[SECONDS]);
    (void)alarm(PATIENCE_S);
    may_start = words[PROCESSES][0] == '1';
    for (int i = COMMANDS, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(words[end], "bks") != 0;) {
            end++;
        }
        char *arguments[WORDS_MAX + 1] = {0};
        memcpy(arguments, words + i, (size_t)(end - i) * sizeof(*words));
        const int status = commands_run(end - i, arguments);
        if (status < TOOL_OK || status > TOOL_DAMAGED) {
            (void)fprintf(stderr, "exit status %d\n", status);
            abort();
        }
        worst = status > worst ? status : worst;
    }
    (void)fflush(NULL);
    _exit(worst); // without the destructors of all libraries, which take as long as a command
}

static void answer(int out, pid_t process)
{
    int status = 0;
    struct rusage used;
    if (wait4(process, &status, 0, &used) != process) {
        fail("wait4");
    }
    const long long us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL +
                         used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    char line[96];
    const int bytes =
        snprintf(line, sizeof(line), "%d %lld %ld\n", status, us, (long)used.ru_maxrss);
    if (write(out, line, (size_t)bytes) != bytes) {
        fail("write");
    }
}

int main(void)
{
    static char line[LINE_BYTES];
    static char *words[WORDS_MAX + 1];
    // The commands get neither stream: what they print would be taken for answers.
    FILE *requests = fdopen(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), "re");
    const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (requests == NULL || out < 0) {
        fail("streams");
    }
    while (fgets(line, sizeof(line), requests) != NULL) {
        int count = 0;
        line[strcspn(line, "\n")] = '\0';
        for (char *at = line; at != NULL && count < WORDS_MAX;) {
            words[count++] = strsep(&at, "\t");
        }
        const pid_t process = count > COMMANDS ? fork() : -1;
        if (process == 0) {
            run(words, count);
        }
        if (process < 0) {
            fail("fork");
        }
        answer(out, process);
    }
    return 0;
}
