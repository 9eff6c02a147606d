// SPDX-License-Identifier: MIT

#include "base/stop.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

// Lock-free flags, because signal handlers and threads of the system set them.
static atomic_bool wanted;
static void (*_Atomic restore_now)(void);

void stop_restore(void)
{
    void (*restore)(void) = atomic_exchange(&restore_now, NULL);
    if (restore != NULL) {
        restore();
    }
}

bool stop_remember(void)
{
    return atomic_exchange(&wanted, true);
}

bool stop_is_wanted(void)
{
    return atomic_load(&wanted);
}

bool stop_keep(void (*restore)(void))
{
    static bool is_installed;
    atomic_store(&restore_now, restore);
    if (is_installed || restore == NULL) {
        return false;
    }
    is_installed = true;
    (void)atexit(stop_restore);
    return true;
}
