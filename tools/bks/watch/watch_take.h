// SPDX-License-Identifier: MIT

/// @file watch_take.h
/// Taking over: from some tick of a recording on, the game is played by others. All of it goes into
/// a new recording, the old inputs up to that tick and the new ones behind it, so it stands alone.

#ifndef BKS_TOOL_WATCH_TAKE_H
#define BKS_TOOL_WATCH_TAKE_H

#include "backstitch/toolkit/recording.h"
#include "game/loader.h"
#include "game/source.h"
#include "sound/ears.h"

/// Set-up of taking over. Start from {0}.
typedef struct watch_take_config {
    loaded_game game;
    bks_replay *replay;      ///< must outlive watch_take_begin() only
    bks_tick tick;           ///< the first that is played anew
    bks_tick ticks;          ///< ends before this one, 0: no end
    const args_list *inputs; ///< `--input`; players that are not named there play by hand
    uint64_t seed;           ///< seed of monkeys
    bool is_recorded;
    const char *record_path; ///< NULL: named by the game and the time
    bks_pictures pictures;   ///< for watch_take_frame()
    ears *heard;             ///< hear what is played anew, may be NULL
    bks_replay_detail record_detail;
} watch_take_config;

/// A game that was taken over. Opaque.
typedef struct watch_take watch_take;

/// Step the old inputs once more up to the tick. Errors go to stderr.
/// @param out  receives it, NULL on failure
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
/// Owned by the caller; release with watch_take_end().
int watch_take_begin(const watch_take_config *config, watch_take **out);

/// Step what is due.
/// @param now_ns     of tool_clock_ns(); the first call sets the clock
/// @param is_paused  the match's time stands still: nothing is due
/// @return false once it has ended
bool watch_take_update(watch_take *take, uint64_t now_ns, bool is_paused);

/// Complete the recording and release it all. NULL is allowed.
void watch_take_end(watch_take *take);

const void *watch_take_state(const watch_take *take);

/// Return the frame to draw at the time of the last update.
bks_frame watch_take_frame(const watch_take *take);

bks_tick watch_take_tick(const watch_take *take);

/// The inputs of the last tick stepped, for a picture.
/// @param values  receives players * field_count values
/// @return false when there are none yet
bool watch_take_inputs(const watch_take *take, int32_t *values);

/// Hash of the state at the start of the tick reached.
/// @return false when there is none
bool watch_take_hash(const watch_take *take, uint64_t *out);

/// The sources, whose devices the caller fills in.
source_set *watch_take_sources(watch_take *take);

/// Path of the recording, "" when there is none.
const char *watch_take_record_path(const watch_take *take);

/// Return true if the recording could not be written to its end.
bool watch_take_lost_recording(const watch_take *take);

#endif
