// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/processes/check_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/altered_system.h"

void check_pipe_begin(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
}

bool check_pipe_make(check_pipe *asks, check_pipe *answers)
{
    int to_variant[2];
    int from_variant[2];
    if (pipe(to_variant) != 0) {
        return false;
    }
    if (pipe(from_variant) != 0) {
        (void)close(to_variant[0]);
        (void)close(to_variant[1]);
        return false;
    }
    (void)fcntl(to_variant[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(from_variant[0], F_SETFD, FD_CLOEXEC);
    *asks = (check_pipe){.receives = from_variant[0], .sends = to_variant[1]};
    *answers = (check_pipe){.receives = to_variant[0], .sends = from_variant[1]};
    return true;
}

void check_pipe_close(const check_pipe *end)
{
    (void)close(end->receives);
    (void)close(end->sends);
}

bool check_pipe_is_open(const check_pipe *end)
{
    return fcntl(end->receives, F_GETFD) >= 0 && fcntl(end->sends, F_GETFD) >= 0;
}

bool check_pipe_ask(const check_pipe *asks)
{
    const char byte = 0;
    return write(asks->sends, &byte, 1) == 1;
}

// Call again after EINTR, because a timer of the game may interrupt the call with a signal.
static bool send_byte(int descriptor)
{
    const char byte = 0;
    ssize_t count = 0;
    do {
        count = write(descriptor, &byte, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

static bool receive_byte(int descriptor)
{
    char byte = 0;
    ssize_t count = 0;
    do {
        count = read(descriptor, &byte, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

check_wait check_pipe_await(const check_pipe *asks, pid_t process, int timeout_ms)
{
    (void)process; // unused: when the process ends, its side of the pipe is closed
    struct pollfd wanted = {.fd = asks->receives, .events = POLLIN};
    thread_serial_rest(true);
    const int count = poll(&wanted, 1, timeout_ms);
    thread_serial_rest(false);
    if (count <= 0) {
        return CHECK_HANGS;
    }
    return receive_byte(asks->receives) ? CHECK_ANSWERED : CHECK_GONE;
}

bool check_pipe_answer(const check_pipe *answers)
{
    thread_serial_rest(true);
    const bool is_asked = send_byte(answers->sends) && receive_byte(answers->receives);
    thread_serial_rest(false);
    return is_asked;
}
