// SPDX-License-Identifier: MIT

#include <stdarg.h>
#include <stdio.h>

#include "base/report.h"
#include "det/jobs.h"
#include "game/listener.h"

/// Longest note, its zero included.
#define NOTE_BYTES 256

/// A step that was made by hand, in a test of the game say, may have no listener. A job has none.
static const bks_listener *listener_of(const bks_step *step, const char *call)
{
    if (step == NULL) {
        bksi_fail_null(NULL, call, "step");
        return NULL;
    }
    return bksi_jobs_refuse(call) ? NULL : step->listener;
}

void bks_mark(const bks_step *step, const char *name)
{
    const bks_listener *listener = listener_of(step, "bks_mark");
    if (listener == NULL) {
        return;
    }
    if (name == NULL) {
        bksi_fail_null(NULL, "bks_mark", "name");
        return;
    }
    *listener->mark = name;
    if (listener->sink.mark == NULL && listener->sink.reached == NULL) {
        return;
    }
    if (listener->sink.reached != NULL) {
        listener->sink.reached(listener->sink.context, step->tick, name);
    }
    if (listener->sink.mark != NULL) {
        const uint64_t hash = listener->hash(listener->runner);
        listener->sink.mark(listener->sink.context, step->tick, name, hash);
    }
}

void bks_fail(const bks_step *step, const char *text)
{
    const bks_listener *listener = listener_of(step, "bks_fail");
    if (listener == NULL) {
        return;
    }
    if (text == NULL) {
        bksi_fail_null(NULL, "bks_fail", "text");
    }
    listener->fail(listener->runner, text != NULL ? text : "");
}

void bks_note(const bks_step *step, const char *format, ...)
{
    const bks_listener *listener = listener_of(step, "bks_note");
    if (listener == NULL || listener->sink.note == NULL) {
        return;
    }
    if (format == NULL) {
        bksi_fail_null(NULL, "bks_note", "format");
        return;
    }
    char text[NOTE_BYTES] = "";
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    listener->sink.note(listener->sink.context, step->tick, text);
}
