// SPDX-License-Identifier: MIT

#include "base/stop.h"

#include <windows.h>

#include "base/stop_system.h"

/// How long the system gives a program whose window or session is closed.
#define LAST_WORDS_MS 4000u

/// In a thread of the system's. Ctrl-C once more, and Ctrl-Break, end the program at once.
static BOOL WINAPI remember(DWORD event)
{
    const bool was_wanted = stop_remember();
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

void stop_at_end(void (*restore)(void))
{
    (void)stop_keep(restore); // Ctrl-Break is caught with the others
}
