// SPDX-License-Identifier: MIT

#include <unistd.h>

#include "base/child_system.h"

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
