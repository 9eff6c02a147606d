// SPDX-License-Identifier: MIT

/// @file watch_take.h
/// Takes over a recorded game: players continue it from some tick on. A new recording holds the old
/// inputs up to that tick and the new ones after it, so it does not need the old recording.

#ifndef BKS_TOOL_WATCH_TAKE_H
#define BKS_TOOL_WATCH_TAKE_H

#include "backstitch/toolkit/recording.h"
#include "game/loader.h"
#include "game/source.h"
#include "sound/ears.h"

/// Set-up of taking over. Start from {0}.
typedef struct watch_take_config {
    loaded_game game;
    bks_replay *replay;      ///< recording to take over; must outlive watch_take_catch_up()
    bks_tick tick;           ///< first tick that is not taken from the recording, but played
    bks_tick ticks;          ///< tick before which playing ends, 0: no end
    const args_list *inputs; ///< values of `--input`; players that they do not name play by hand
    uint64_t seed;           ///< seed of monkeys
    bool is_recorded;
    const char *record_path; ///< path of the new recording, NULL: named by the game and the time
    bks_pictures pictures;   ///< kind of pictures that watch_take_frame() returns
    ears *heard;             ///< sound outputs of the new part, may be NULL
    bks_replay_detail record_detail;
} watch_take_config;

/// A recorded game that was taken over. Opaque.
typedef struct watch_take watch_take;

/// Begin to take over a game. Errors go to stderr.
/// @param out  receives the game, NULL on failure
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
/// Owned by the caller; release with watch_take_end().
int watch_take_begin(const watch_take_config *config, watch_take **out);

/// Step the recorded inputs up to the tick of the take-over, as fast as possible but for a fifth of
/// a second at most, so that pictures are drawn meanwhile. Errors go to stderr.
/// @param out_is_there  receives true once the tick is reached; until then call this again
/// @return TOOL_OK, TOOL_NO, TOOL_MISUSE, TOOL_DAMAGED
int watch_take_catch_up(watch_take *take, bool *out_is_there);

/// Step the ticks that are due.
/// @param now_ns     time of tool_clock_ns(); the first call sets the match's clock
/// @param is_paused  true: the match's time stands still, so no tick is due
/// @return false after the match has ended
bool watch_take_update(watch_take *take, uint64_t now_ns, bool is_paused);

/// Complete the new recording and release the game. NULL is allowed.
void watch_take_end(watch_take *take);

const void *watch_take_state(const watch_take *take);

/// Return the bks_frame to draw at the time of the last update.
bks_frame watch_take_frame(const watch_take *take);

bks_tick watch_take_tick(const watch_take *take);

/// Copy the inputs of the last tick stepped, for a picture.
/// @param values  receives players * field_count values
/// @return false if no tick was stepped yet
bool watch_take_inputs(const watch_take *take, int32_t *values);

/// Get the hash of the state at the start of the current tick.
/// @return false if there is none
bool watch_take_hash(const watch_take *take, uint64_t *out);

/// Return the sources of input. The caller fills in the devices.
source_set *watch_take_sources(watch_take *take);

/// Return the path of the new recording, "" if there is none.
const char *watch_take_record_path(const watch_take *take);

/// Return true if the recording could not be written to its end.
bool watch_take_lost_recording(const watch_take *take);

#endif
