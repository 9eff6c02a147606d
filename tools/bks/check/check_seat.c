// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/check_seat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>

static const char seat_name[] = "BKS_CHECK_SEAT";

enum { ARGUMENTS_MAX = 256 };

check_seat check_seat_read(void)
{
    check_seat seat = {0};
    check_seat read = {0};
    uint32_t role = 0;
    const char *text = getenv(seat_name);
    if (text != NULL && sscanf(text, "%" SCNu32 ":%" SCNu32 ":%d:%d:%d", &role, &read.variant,
                               &read.tape, &read.receives, &read.sends) == 5) {
        seat = read;
        seat.role = role == CHECK_BASELINE ? CHECK_BASELINE : CHECK_VARIES;
    }
    return seat;
}

bool check_seat_start(const check_seat *seat, char **argv, bool is_moved, child *process)
{
    static char name[] = "bks";
    char *words[ARGUMENTS_MAX + 2] = {name};
    for (int i = 0; i < ARGUMENTS_MAX && argv[i] != NULL; i++) {
        words[i + 1] = argv[i];
    }
    // As long as any other: what lies behind it on the stack is where it would be.
    char text[64];
    (void)snprintf(text, sizeof(text), "%02d:%02" PRIu32 ":%06d:%06d:%06d", (int)seat->role,
                   seat->variant, seat->tape, seat->receives, seat->sends);
    (void)setenv(seat_name, text, 1);
    const int before = personality(0xffffffff);
    const unsigned long fixed = (unsigned long)ADDR_NO_RANDOMIZE;
    const unsigned long base = before >= 0 ? (unsigned long)before : 0;
    // Where the system does not allow it, addresses differ everywhere; that is no mistake.
    (void)personality(is_moved ? base & ~fixed : base | fixed);
    const bool is_started = child_start(process, words);
    (void)personality(base);
    (void)unsetenv(seat_name);
    return is_started;
}
