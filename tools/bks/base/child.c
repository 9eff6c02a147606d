// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/tool.h"

enum { LAST_WORDS_MS = 1000 };

// Memory that reads and writes as a file: a child that writes much never has to wait for a reader.
static int open_gathering(void)
{
    return memfd_create("bks-child", MFD_CLOEXEC);
}

// In the new process: become the program. Never returns.
static void become(const child *process, const char *path, char *const *arguments, pid_t parent)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(TOOL_NO); // it ended before it could have been noticed
    }
#else
    (void)parent;
#endif
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
    }
    (void)dup2(process->out, STDOUT_FILENO);
    (void)dup2(process->err, STDERR_FILENO);
    (void)execv(path, arguments);
    _exit(TOOL_NO);
}

bool child_start(child *process, char *const *arguments)
{
    return child_start_program(process, tool_program_path(), arguments);
}

bool child_start_program(child *process, const char *path, char *const *arguments)
{
    process->out = open_gathering();
    process->err = open_gathering();
    const pid_t parent = getpid();
    fflush(NULL);
    process->pid = process->out >= 0 && process->err >= 0 && path[0] != '\0' ? fork() : -1;
    if (process->pid == 0) {
        become(process, path, arguments, parent);
    }
    if (process->pid < 0) {
        process->pid = 0;
        tool_complain("bks", "cannot start another process: %s", strerror(errno));
        return false;
    }
    return true;
}

// What a file holds, the end of it when that is more.
static size_t read_end(int descriptor, char *out, size_t capacity)
{
    size_t length = 0;
    const off_t size = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : 0;
    const off_t begin = size > (off_t)capacity - 1 ? size - ((off_t)capacity - 1) : 0;
    if (descriptor >= 0 && lseek(descriptor, begin, SEEK_SET) == begin) {
        for (ssize_t count = 1; count > 0 && length + 1 < capacity;) {
            count = read(descriptor, out + length, capacity - 1 - length);
            length += count > 0 ? (size_t)count : 0;
        }
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    out[length] = '\0';
    return length;
}

static void take_in(child *process)
{
    (void)read_end(process->out, process->text, sizeof(process->text));
    char said[sizeof(process->complaint)];
    size_t length = read_end(process->err, said, sizeof(said));
    while (length > 0 && said[length - 1] == '\n') {
        said[--length] = '\0';
    }
    const char *last = said;
    for (const char *at = strchr(said, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        last = at[1] != ' ' ? at + 1 : last; // what is indented belongs to the line before
    }
    snprintf(process->complaint, sizeof(process->complaint), "%s", last);
    process->out = -1;
    process->err = -1;
}

bool child_has_ended(child *process)
{
    if (process->has_ended) {
        return true;
    }
    int status = 0;
    const pid_t ended = waitpid(process->pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) {
        return false;
    }
    process->status = ended == process->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    process->signal = ended == process->pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    process->has_ended = true;
    return true;
}

static bool wait_ms(child *process, int patience_ms)
{
    static const uint64_t step_ns = UINT64_C(5000000);
    const uint64_t end = tool_clock_ns(NULL) + (uint64_t)patience_ms * UINT64_C(1000000);
    while (!child_has_ended(process)) {
        if (tool_clock_ns(NULL) >= end) {
            return false;
        }
        tool_sleep_ns(step_ns);
    }
    return true;
}

void child_finish(child *process, int patience_ms)
{
    if (process->pid == 0 || process->out < 0) {
        return; // none, or taken in already
    }
    if (!wait_ms(process, patience_ms)) {
        (void)kill(process->pid, SIGTERM);
        if (!wait_ms(process, LAST_WORDS_MS)) {
            (void)kill(process->pid, SIGKILL);
            (void)wait_ms(process, LAST_WORDS_MS);
        }
    }
    take_in(process);
}

void child_crash_text(int signal_number, char *out, size_t capacity)
{
    const char *name = sigabbrev_np(signal_number); // NULL for real-time signals
    if (name != NULL) {
        (void)snprintf(out, capacity, "crashes (SIG%s)", name);
    } else {
        (void)snprintf(out, capacity, "crashes (signal %d)", signal_number);
    }
}
