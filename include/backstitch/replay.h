// SPDX-License-Identifier: MIT

/// @file replay.h
/// All of recordings: writing them (replay_writer.h), reading them (replay_reader.h), stepping a
/// game through them (playback.h), and copying parts of them (replay_copy.h). A source file that
/// needs only one includes that one.

#ifndef BACKSTITCH_REPLAY_H
#define BACKSTITCH_REPLAY_H

#include "backstitch/playback.h"
#include "backstitch/replay_copy.h"
#include "backstitch/replay_evidence.h"
#include "backstitch/replay_reader.h"
#include "backstitch/replay_writer.h"

#endif // BACKSTITCH_REPLAY_H
