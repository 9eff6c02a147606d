// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L // for ssize_t of <sys/types.h>

#include "base/child.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/tool.h"

enum { LAST_WORDS_MS = 1000 };

bool child_start(child *process, char *const *arguments)
{
    return child_start_program(process, tool_program_path(), arguments);
}

// Read a file. If it is longer than the buffer, read only its end.
static size_t read_end(int descriptor, char *out, size_t capacity)
{
    size_t length = 0;
    const off_t size = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : 0;
    const off_t begin = size > (off_t)capacity - 1 ? size - ((off_t)capacity - 1) : 0;
    if (descriptor >= 0 && lseek(descriptor, begin, SEEK_SET) == begin) {
        for (ssize_t count = 1; count > 0 && length + 1 < capacity;) {
            count = read(descriptor, out + length, (unsigned)(capacity - 1 - length));
            length += count > 0 ? (size_t)count : 0;
        }
    }
    out[length] = '\0';
    return length;
}

static void take_in(child *process)
{
    (void)read_end(process->out, process->text, sizeof(process->text));
    char output[sizeof(process->complaint)];
    size_t length = read_end(process->err, output, sizeof(output));
    while (length > 0 && output[length - 1] == '\n') {
        output[--length] = '\0';
    }
    const char *last = output;
    for (const char *at = strchr(output, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        last = at[1] != ' ' ? at + 1 : last; // an indented line continues the line before it
    }
    snprintf(process->complaint, sizeof(process->complaint), "%s", last);
    child_close_streams(process);
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
        return; // there is no child, or its output was already read
    }
    if (!wait_ms(process, patience_ms)) {
        child_ask_to_end(process->pid);
        if (!wait_ms(process, LAST_WORDS_MS)) {
            child_kill(process->pid);
            (void)wait_ms(process, LAST_WORDS_MS);
        }
    }
    take_in(process);
    child_forget(process->pid);
}

static void close_stream(int *descriptor)
{
    if (*descriptor >= 0) {
        (void)close(*descriptor);
    }
    *descriptor = -1;
}

void child_close_streams(child *process)
{
    close_stream(&process->out);
    close_stream(&process->err);
}
