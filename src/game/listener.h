// SPDX-License-Identifier: MIT

/// @file listener.h
/// The receiver of marks, notes, questions and cues, and the workers of jobs. A runner has one such
/// object for all its life and every step gets its address, so a step looks the same with and
/// without a listener.

#ifndef BKSI_LISTENER_H
#define BKSI_LISTENER_H

#include "backstitch/det.h"
#include "backstitch/present.h"

/// Receives the marks and notes of a step. All may be NULL.
typedef struct bksi_trace_sink {
    void (*reached)(void *context, bks_tick tick, const char *name); ///< a mark, before its hash
    void (*mark)(void *context, bks_tick tick, const char *name, uint64_t hash);
    void (*note)(void *context, bks_tick tick, const char *text);
    void *context;
} bksi_trace_sink;

/// Answers what a step asks. NULL: nothing is known.
typedef struct bksi_answers {
    /// @param out  receives up to BKS_ANSWER_BYTES_MAX bytes
    /// @return its bytes, 0: there is no answer
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *context;
} bksi_answers;

struct bks_listener {
    bksi_trace_sink sink;       ///< all NULL without a listener
    bksi_answers answers;       ///< NULL: no answers
    struct bksi_runner *runner; ///< of the program: the library in a plug-in may lay out its own
                                ///< in another way, and reaches this one by the next two alone
    uint64_t (*hash)(struct bksi_runner *runner);               ///< of the state at a mark
    void (*fail)(struct bksi_runner *runner, const char *text); ///< the game cannot continue
    const char **mark;   ///< receives the name of the last one of this step
    bks_workers workers; ///< of the step's jobs; NULL: in place
    /// Takes a cue of the step; NULL: no one listens.
    bool (*cue)(struct bks_cues *cues, uint32_t id, uint64_t key, const void *payload,
                size_t bytes);
    struct bks_cues *cues; ///< handed to it
};

#endif
