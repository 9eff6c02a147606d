// SPDX-License-Identifier: MIT

/// @file watch_player.h
/// Plays a recording in time: at a speed, from any tick, comparing the hash of every state that it
/// comes to. It knows no screen and no keys; the time is the caller's.

#ifndef BKS_TOOL_WATCH_PLAYER_H
#define BKS_TOOL_WATCH_PLAYER_H

#include "sound/ears.h"
#include "watch/watch_source.h"

/// Speeds are powers of two: an eighth to 64 times.
enum { WATCH_SPEED_MIN = -3, WATCH_SPEED_MAX = 6 };

enum { TICK_SPANS_MAX = 64 };

/// A set of ticks. Start from {0}.
typedef struct tick_spans {
    struct {
        bks_tick begin;
        bks_tick end;        ///< behind the last one
    } spans[TICK_SPANS_MAX]; ///< in order, with a gap between any two
    uint32_t count;
} tick_spans;

/// Add one tick.
/// @return whether it was not there before; false, too, when it would begin a span more than there
///         is room for
bool tick_spans_add(tick_spans *set, bks_tick tick);

/// One recording being played. Read the fields; change them by the functions.
typedef struct watch_player {
    watch_feed *feed; ///< the caller's
    const bks_game *game;
    const char *where;
    ears *heard; ///< may be NULL
    bool interpolates;
    bks_playback *playback;
    const bks_recording *info; ///< description of the feed's replay
    uint64_t playout_ns;
    bks_tick until;     ///< stops there, INT32_MAX: at the end
    bks_tick limit;     ///< nothing behind it can be played, INT32_MAX: not found out
    bool has_failed;    ///< the feed is not asked any more
    bool is_paused;     ///< by the user
    bks_tick wanted;    ///< to go to as soon as it is recorded, BKS_TICK_NONE: none
    bool is_waiting;    ///< everything that came so far is played
    uint64_t go_ns;     ///< waiting: continues then; 0: nothing came yet
    uint32_t waits;     ///< times that all was played before more came
    bool is_following;  ///< it follows a growing recording, a playout behind; false after a seek
    bks_tick part;      ///< fewest ticks that came at once, 0: none came
    bks_tick behind;    ///< following: most ticks that it was behind what had come
    int32_t speed;      ///< two to this power
    uint64_t played_ns; ///< time up to which ticks were counted as due
    double owed_ticks;  ///< due by then and not stepped
    bool has_hash;      ///< the recording has a hash of the present state
    tick_spans counted; ///< ticks that were stepped from and have a hash
    bks_tick compared;  ///< how many these are
    bks_tick first_different; ///< BKS_TICK_NONE: none differs
    bks_tick lost;            ///< ticks that were passed over because they are damaged
    char refused[192];        ///< why a seek failed last, "" when none did
    char message[256];        ///< last message for the user, "" when there is none
} watch_player;

/// Begin to play. Errors go to stderr.
/// @param feed   must outlive the player
/// @param where  as typed
/// @param heard  hear it, may be NULL; must outlive the player
/// @param interpolates  for watch_player_frame()
/// @return TOOL_OK, TOOL_MISUSE (of another game), TOOL_NO
/// Release with watch_player_close().
int watch_player_open(watch_player *player, watch_feed *feed, const bks_game *game,
                      const char *where, ears *heard, bool interpolates);

/// Release a player. An empty one is allowed.
void watch_player_close(watch_player *player);

/// Read what is new in the feed, and step what is due.
/// @param now_ns  of tool_clock_ns(); the first call sets the clock
void watch_player_advance(watch_player *player, uint64_t now_ns);

/// Return true if steps are due before the next picture.
bool watch_player_is_late(const watch_player *player);

/// Return how long nothing is due, at most a second.
uint64_t watch_player_idle_ns(const watch_player *player, uint64_t now_ns);

/// Go to a tick that may not be recorded yet: until it is, it stands where it is.
void watch_player_wait_for(watch_player *player, bks_tick tick);

/// Go to a tick; what is out of range becomes the nearest that is there.
void watch_player_seek(watch_player *player, int64_t tick);

/// Go to where a running match was a playout ago, and stay no further behind. If it is younger,
/// wait at its first tick for the rest: else all would be played before more came.
void watch_player_follow(watch_player *player, uint64_t now_ns);

/// Return one past the last tick that is known to be playable.
bks_tick watch_player_end(const watch_player *player);

/// Return true if the end is reached and nothing more will come.
bool watch_player_has_ended(const watch_player *player);

/// Return the frame to draw: between the two newest ticks if the game draws that, else the newest.
bks_frame watch_player_frame(const watch_player *player);

/// Return the speed, as a multiple of the game's: 0.125 to 64.
double watch_player_speed(const watch_player *player);

/// Describe the current tick: the newest event shortly before it, else the last message, else the
/// damage.
/// @param room      may receive the text
/// @param capacity  its bytes; what is longer is cut
/// @return the text, NULL: nothing
const char *watch_words_remark(const watch_player *player, char *room, size_t capacity);

#endif
