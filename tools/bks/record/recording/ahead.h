// SPDX-License-Identifier: MIT

/// @file ahead.h Inputs of a recording, unpacked by a thread on a second core, ahead of the thread
/// that steps the game. Apart from the game's own steps, unpacking is most of the cost of a
/// playback.
///
///     ahead *inputs = ahead_open(file.bytes, info, end);
///     for each tick from info->first on:
///         bks_playback_step_with(playback, ahead_inputs(inputs, tick));

#ifndef BKS_TOOL_AHEAD_H
#define BKS_TOOL_AHEAD_H

#include "backstitch/toolkit/recording.h"

/// A thread that unpacks inputs. Opaque.
typedef struct ahead ahead;

/// Return true if there is a second core for the thread.
bool ahead_helps(void);

/// Start a thread that unpacks the inputs of a recording.
/// @param bytes  bytes of the recording, borrowed until ahead_close()
/// @param info   description of the recording
/// @param end    one past the last tick that will be asked for
/// @return NULL when there is no memory or no thread to be had
/// Owned by the caller; release with ahead_close().
ahead *ahead_open(const void *bytes, const bks_recording *info, bks_tick end);

/// Return the inputs of a tick, as bks_replay_inputs() gives them. Wait until they are unpacked.
/// @param tick  info->first..end-1, in order
/// @return inputs, valid until the next call; NULL: the recording does not have them
const int32_t *ahead_inputs(ahead *a, bks_tick tick);

/// Stop the thread and release it. NULL is allowed.
void ahead_close(ahead *a);

#endif
