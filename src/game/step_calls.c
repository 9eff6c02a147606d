// SPDX-License-Identifier: MIT

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backstitch/det.h"
#include "backstitch/game.h"

#include "base/report.h"
#include "det/jobs.h"
#include "game/listener.h"

/// Longest note, its terminating zero included.
#define NOTE_BYTES 256

/// Return the listener of a step, which receives its marks and answers its questions. It is NULL in
/// a job, and for a step made by hand, as in a test of a game.
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
    BKSI_REFUSE_NULL_OR(, name);
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
    BKSI_REFUSE_NULL_OR(, format);
    char text[NOTE_BYTES] = "";
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    listener->sink.note(listener->sink.context, step->tick, text);
}

size_t bks_ask(const bks_step *step, uint32_t question, void *answer, size_t capacity)
{
    if (step == NULL || (answer == NULL && capacity > 0)) {
        (void)bksi_fail_null(NULL, "bks_ask", step == NULL ? "step" : "answer");
        return 0;
    }
    const bks_listener *listener = step->listener;
    if (bksi_jobs_refuse("bks_ask") || listener == NULL || listener->answers.answer == NULL) {
        return 0;
    }
    uint8_t bytes[BKS_ANSWER_BYTES_MAX];
    const size_t count =
        listener->answers.answer(listener->answers.context, step->tick, question, bytes);
    BKS_ASSERT(count <= sizeof(bytes));
    const size_t given = count < capacity ? count : capacity;
    if (given > 0) {
        memcpy(answer, bytes, given);
    }
    return count;
}

void bks_cue(const bks_step *step, uint32_t id, uint64_t key, const void *payload, size_t bytes)
{
    BKSI_REFUSE_NULL_OR(, step);
    const bks_listener *listener = step->listener;
    if (bksi_jobs_refuse("bks_cue") || listener == NULL || listener->cue == NULL) {
        return;
    }
    (void)listener->cue(listener->cues, id, key, payload, bytes);
}

/// Log that bks_refuse() was given a command that no step can have read.
static void refuse_unread(const bks_step *step, const bks_command *command)
{
    if (command->bytes == NULL) {
        (void)bksi_fail_null(NULL, "bks_refuse", "command->bytes");
        return;
    }
    (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_refuse", "command",
                    "command->player is %u, must be below %u: refuse a command as "
                    "bks_step_command() gave it",
                    command->player, step->players);
}

void bks_refuse(const bks_step *step, const bks_command *command, uint32_t why)
{
    BKSI_REFUSE_NULL_OR(, step);
    BKSI_REFUSE_NULL_OR(, command);
    if (command->bytes == NULL || command->player >= step->players) {
        refuse_unread(step, command);
        return;
    }
    const bks_listener *listener = step->listener;
    if (bksi_jobs_refuse("bks_refuse") || listener == NULL || listener->cue == NULL) {
        return;
    }
    const size_t shown = command->count < BKS_CUE_BYTES_MAX ? command->count : BKS_CUE_BYTES_MAX;
    (void)listener->cue(listener->cues, BKS_CUE_REFUSED, (uint64_t)command->player << 32 | why,
                        command->bytes, shown);
}

const bks_workers *bks_step_workers(const bks_step *step)
{
    BKSI_REFUSE_NULL_OR(NULL, step);
    const bks_listener *listener = step->listener;
    return listener != NULL && listener->workers.run != NULL ? &listener->workers : NULL;
}

_Static_assert(sizeof(bks_voice) == 16, "no holes");

/// Return the number of sound frames from the start of the match to the start of a tick.
static uint64_t frames_until(uint64_t tick, uint32_t tick_rate_hz)
{
    return tick * BKS_SOUND_RATE_HZ / tick_rate_hz;
}

void bks_voices_step(bks_voice *voices, uint32_t count, const bks_step *step)
{
    if (step == NULL || (voices == NULL && count > 0)) {
        (void)bksi_fail_null(NULL, "bks_voices_step", step == NULL ? "step" : "voices");
        return;
    }
    if (step->tick_rate_hz == 0) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_voices_step", "step",
                        "step has tick_rate_hz 0, must be that of the match, 1..1000");
        return;
    }
    const uint64_t tick = (uint64_t)step->tick;
    const uint64_t frames =
        frames_until(tick + 1, step->tick_rate_hz) - frames_until(tick, step->tick_rate_hz);
    for (uint32_t i = 0; i < count; i++) {
        voices[i].cursor += voices[i].is_on != 0 ? frames : 0;
    }
}
