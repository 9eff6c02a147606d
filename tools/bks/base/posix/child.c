// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/tool.h"

// Open a file in memory for a child's output, so that a child that writes much never waits for a
// reader.
static int open_gathering(void)
{
    return memfd_create("bks-child", MFD_CLOEXEC);
}

// Replace the new process by the program that is to run. Never return.
static void become(const child *process, const char *path, char *const *arguments, pid_t parent)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(TOOL_NO); // the parent ended before prctl() was called
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
        const int cause = errno;
        process->pid = 0;
        child_close_streams(process);
        tool_complain("bks", "cannot start another process: %s", strerror(cause));
        return false;
    }
    return true;
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

void child_ask_to_end(pid_t process)
{
    (void)kill(process, SIGTERM);
}

void child_kill(pid_t process)
{
    (void)kill(process, SIGKILL);
}

void child_forget(pid_t process)
{
    (void)process; // waitpid() has already released the process
}

size_t child_peek(const child *process, char *out, size_t capacity)
{
    const ssize_t count = pread(process->err, out, capacity - 1, 0);
    out[count > 0 ? count : 0] = '\0';
    return count > 0 ? (size_t)count : 0;
}

void child_crash_text(int signal_number, char *out, size_t capacity)
{
    // NULL for real-time signals, which have no names.
    const char *name = sigabbrev_np(signal_number);
    if (name != NULL) {
        (void)snprintf(out, capacity, "crashes (SIG%s)", name);
    } else {
        (void)snprintf(out, capacity, "crashes (signal %d)", signal_number);
    }
}
