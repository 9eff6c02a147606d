// SPDX-License-Identifier: MIT

#include "base/stop.h"

#include <windows.h>

#include "game/stepping.h"

/// Time that Windows gives a program to end when its window or session is closed.
#define LAST_WORDS_MS 4000u

/// Thread that steps the game: the one that called stop_catch().
static HANDLE stepper;
static bksi_stepping_place steps;

/// Return the tick of the step under way. Suspend the stepping thread meanwhile, so that its data
/// does not change.
static bks_tick stepping(void)
{
    CONTEXT held = {.ContextFlags = CONTEXT_CONTROL};
    bks_tick tick = BKS_TICK_NONE;
    if (SuspendThread(stepper) == (DWORD)-1) {
        return BKS_TICK_NONE;
    }
    // GetThreadContext() waits until the thread is suspended, as SuspendThread() does not.
    if (GetThreadContext(stepper, &held)) {
        tick = bksi_stepping_tick(steps);
    }
    (void)ResumeThread(stepper);
    return tick;
}

/// Check every STOP_STEP_S whether the game's step has ended, and end the program if it has not.
static DWORD WINAPI watch_step(void *context)
{
    (void)context;
    for (bks_tick last = stepping();;) {
        Sleep(STOP_STEP_S * 1000);
        const bks_tick tick = stepping();
        if (tick != BKS_TICK_NONE && tick == last) {
            break;
        }
        last = tick;
    }
    static const char text[] = STOP_STEP_TEXT;
    DWORD written = 0;
    stop_restore();
    (void)WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, sizeof(text) - 1, &written, NULL);
    (void)TerminateProcess(GetCurrentProcess(), STOP_ENDED);
    return 0;
}

static void begin_watch(void)
{
    HANDLE watcher = stepper != NULL ? CreateThread(NULL, 0, watch_step, NULL, 0, NULL) : NULL;
    if (watcher != NULL) {
        (void)CloseHandle(watcher);
    }
}

/// Note that the program should end; Windows calls this in a thread of its own. A second Ctrl-C
/// ends the program at once, and so does the first Ctrl-Break.
static BOOL WINAPI remember(DWORD event)
{
    const bool was_wanted = stop_remember();
    switch (event) {
    case CTRL_C_EVENT:
        if (!was_wanted) {
            begin_watch();
            return TRUE;
        }
        break;
    case CTRL_CLOSE_EVENT:
    case CTRL_LOGOFF_EVENT:
    case CTRL_SHUTDOWN_EVENT:
        // Give the program time to end: the system ends it when this handler returns.
        Sleep(LAST_WORDS_MS);
        break;
    default:
        break;
    }
    stop_restore();
    return FALSE;
}

void stop_catch(void)
{
    if (stepper == NULL) {
        steps = bksi_stepping_here();
        (void)DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                              &stepper, 0, FALSE, DUPLICATE_SAME_ACCESS);
    }
    (void)SetConsoleCtrlHandler(remember, TRUE);
}

void stop_at_end(void (*restore)(void))
{
    (void)stop_keep(restore); // no further handler: the one of stop_catch() also gets Ctrl-Break
}
