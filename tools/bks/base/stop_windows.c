// SPDX-License-Identifier: MIT

#include "base/stop.h"

#include <stddef.h>
#include <stdlib.h>
#include <windows.h>

/// How long the system gives a program whose window or session is closed.
#define LAST_WORDS_MS 4000u

static volatile LONG wanted;
static void (*volatile restore_now)(void);

void stop_restore(void)
{
    void (*restore)(void) = restore_now;
    restore_now = NULL;
    if (restore != NULL) {
        restore();
    }
}

/// In a thread of the system's. Ctrl-C once more, and Ctrl-Break, end the program at once.
static BOOL WINAPI remember(DWORD event)
{
    const bool was_wanted = InterlockedExchange(&wanted, 1) != 0;
    switch (event) {
    case CTRL_C_EVENT:
        if (!was_wanted) {
            return TRUE;
        }
        break;
    case CTRL_CLOSE_EVENT:
    case CTRL_LOGOFF_EVENT:
    case CTRL_SHUTDOWN_EVENT:
        Sleep(LAST_WORDS_MS); // the program ends when this returns
        break;
    default:
        break;
    }
    stop_restore();
    return FALSE;
}

void stop_catch(void)
{
    (void)SetConsoleCtrlHandler(remember, TRUE);
}

bool stop_is_wanted(void)
{
    return wanted != 0;
}

void stop_at_end(void (*restore)(void))
{
    static bool is_installed;
    restore_now = restore;
    if (is_installed || restore == NULL) {
        return;
    }
    is_installed = true;
    (void)atexit(stop_restore);
}
