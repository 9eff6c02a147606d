// SPDX-License-Identifier: MIT

/// @file watch_player.h
/// Plays a recording in real time, at a chosen speed, from any tick, and compares the hash of every
/// state. It does not use a screen, keys or a clock: the caller passes the time.

#ifndef BKS_TOOL_WATCH_PLAYER_H
#define BKS_TOOL_WATCH_PLAYER_H

#include "backstitch/toolkit/playout.h"
#include "sound/ears.h"
#include "watch/watch_source.h"

/// Longest time to step ticks between two pictures by a player that is late or seeks, or by a game
/// that is taken over.
#define WATCH_PICTURE_NS_MAX UINT64_C(200000000)

/// Speeds are powers of two: an eighth to 64 times.
enum { WATCH_SPEED_MIN = -3, WATCH_SPEED_MAX = 6 };

enum { TICK_SPANS_MAX = 64 };

/// A set of ticks. Start from {0}.
typedef struct tick_spans {
    struct {
        bks_tick begin;
        bks_tick end;        ///< one past the last tick of the span
    } spans[TICK_SPANS_MAX]; ///< spans of ticks in order, with a gap between any two
    uint32_t count;
} tick_spans;

/// Add a tick to a set.
/// @return true if the tick is new; also false if the set has no room for another span
bool tick_spans_add(tick_spans *set, bks_tick tick);

/// A recording being played. Read the fields; only functions change them.
typedef struct watch_player {
    watch_feed *feed; ///< feed of the recording, owned by the caller
    const bks_game *game;
    const char *where;
    ears *heard; ///< sound outputs of the recording, may be NULL
    bool interpolates;
    bks_playback *playback;
    const bks_recording *info; ///< description of the feed's replay
    bks_playout playout;       ///< times at which the ticks of a growing recording are due
    bks_tick until;            ///< tick at which playing stops, INT32_MAX: at the end
    bks_tick limit;            ///< tick at which playing stops after an error, INT32_MAX: no error
    bool has_failed;           ///< true: the feed is not polled any more
    bool is_paused;            ///< true: the user has paused
    bks_tick wanted;           ///< tick to go to, once it is recorded; BKS_TICK_NONE: none
    bool is_waiting;    ///< true: playing waits until enough ticks have arrived for `playout`
    bool is_following;  ///< true: `playout` says when to step; false after a seek
    bks_tick depth_max; ///< most ticks that a following player was behind the newest received tick
    int32_t speed;      ///< logarithm of the speed to base 2: 0 is the speed of the match
    uint64_t played_ns; ///< time of the last update, up to which due ticks are counted
    double owed_ticks;  ///< number of due ticks that are not stepped yet, and part of the next one
    bool has_hash;      ///< true: the recording has a hash of the present state
    /// Ticks at whose start the state was compared with a recorded hash, and from which the player
    /// has then stepped.
    tick_spans counted;
    bks_tick compared;        ///< number of ticks in `counted`
    bks_tick first_different; ///< first tick whose state differs, BKS_TICK_NONE: none
    bks_tick lost;            ///< number of ticks skipped because they are damaged
    char refused[192];        ///< error of the last failed seek, empty if none
    char message[256];        ///< last message for the user, empty if there is none
} watch_player;

/// Begin to play. Errors go to stderr.
/// @param feed   must outlive the player
/// @param where  file or address as typed
/// @param heard  sound outputs of the recording, may be NULL; must outlive the player
/// @param interpolates  watch_player_frame() returns frames between ticks
/// @return TOOL_OK: release the player with watch_player_close(); TOOL_MISUSE: the recording is of
///         another game; TOOL_NO: no memory, or the recording cannot be read
int watch_player_open(watch_player *player, watch_feed *feed, const bks_game *game,
                      const char *where, ears *heard, bool interpolates);

/// Release a player. An empty one is allowed.
void watch_player_close(watch_player *player);

/// Read new data of the feed, and step the ticks that are due.
/// @param now_ns  time of tool_clock_ns(); the first call sets the player's clock
void watch_player_advance(watch_player *player, uint64_t now_ns);

/// Return true if the player follows a running match, and is more than a quarter of a second behind
/// the due tick. Then draw fewer pictures.
bool watch_player_is_late(const watch_player *player);

/// Return the time until the next tick is due; a second while playing is paused or waits.
uint64_t watch_player_idle_ns(const watch_player *player);

/// Go to a tick as soon as it is recorded. Until then the player stays where it is.
void watch_player_wait_for(watch_player *player, bks_tick tick);

/// Go to a tick, or to the nearest one that can be played.
void watch_player_seek(watch_player *player, int64_t tick);

/// Begin to go to a tick, as watch_player_seek(). If it is far away, watch_player_advance() goes on
/// a fifth of a second each, so that pictures are drawn meanwhile.
void watch_player_go(watch_player *player, int64_t tick);

/// Return the tick that is due now in a running match. A program that joins late goes to it before
/// it calls watch_player_follow().
bks_tick watch_player_live_tick(watch_player *player, uint64_t now_ns);

/// Go to the tick that is due in a running match, and play each tick when it is due.
void watch_player_follow(watch_player *player, uint64_t now_ns);

/// Return one past the last tick that is known to be playable.
bks_tick watch_player_end(const watch_player *player);

/// Return true if the end is reached and nothing more will come.
bool watch_player_has_ended(const watch_player *player);

/// Return the moment to draw: between the two newest ticks if the game can draw that, else at the
/// newest tick.
bks_frame watch_player_frame(const watch_player *player);

/// Return the speed as a factor, 0.125 to 64.
double watch_player_speed(const watch_player *player);

/// Describe the current tick: the newest event shortly before it, else the last message, else the
/// damage of the recording.
/// @param room      may receive the text
/// @param capacity  bytes of `room`; a longer text is cut
/// @return the text, NULL if there is nothing to say
const char *watch_words_remark(const watch_player *player, char *room, size_t capacity);

#endif
