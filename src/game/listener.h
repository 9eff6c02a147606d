// SPDX-License-Identifier: MIT

/// @file listener.h
/// Receiver of marks, notes, questions and cues, and workers of jobs. A runner has one listener
/// object for all its life, and every step gets its address. So a step looks the same whether
/// anyone listens or not.

#ifndef BKSI_LISTENER_H
#define BKSI_LISTENER_H

#include "backstitch/det.h"
#include "backstitch/present.h"

/// Sink for the marks and notes of a step. Each function may be NULL.
typedef struct bksi_trace_sink {
    /// Receives the name of a mark, before the state is hashed there.
    void (*reached)(void *context, bks_tick tick, const char *name);
    void (*mark)(void *context, bks_tick tick, const char *name, uint64_t hash);
    void (*note)(void *context, bks_tick tick, const char *text);
    void *context;
} bksi_trace_sink;

/// Source of answers to a step's questions. Without a function there are no answers.
typedef struct bksi_answers {
    /// Answer a question of a step.
    /// @param out  receives up to BKS_ANSWER_BYTES_MAX bytes
    /// @return size of the answer, 0 if there is no answer
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *context;
} bksi_answers;

struct bks_listener {
    bksi_trace_sink sink; ///< sink of marks and notes; its members are NULL if nobody listens
    bksi_answers answers; ///< source of answers; its `answer` is NULL if there is none

    /// Runner of the program that loaded the game. A plug-in may contain another version of the
    /// library, with another layout of this struct, so it uses the runner only through `hash` and
    /// `fail`.
    struct bksi_runner *runner;
    uint64_t (*hash)(struct bksi_runner *runner); ///< returns the hash of the state, for a mark

    /// Receives the reason when the game cannot continue.
    void (*fail)(struct bksi_runner *runner, const char *text);
    const char **mark; ///< receives the name of the step's last mark
    /// Workers for the step's jobs; if `run` is NULL, jobs run on the calling thread.
    bks_workers workers;

    /// Receives a cue of the step; NULL: cues are ignored.
    bool (*cue)(struct bks_cues *cues, uint32_t id, uint64_t key, const void *payload,
                size_t bytes);
    struct bks_cues *cues; ///< first argument of `cue`
};

#endif
