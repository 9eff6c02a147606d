// SPDX-License-Identifier: MIT

/// @file match.h
/// The easy way in: an online match in a handful of functions, with UDP, a clock and a recording.
/// A game for one player, or for several on one machine, uses the same functions: when every
/// player is local there is no socket, no wait for other peers and no input delay.
///
///     bks_match_config config = bks_match_config_default();
///     config.game = &tag;
///     config.invitation = argv[1];                    // NULL hosts and makes one
///     bks_match *match = NULL;
///     if (bks_match_open(&config, &match, &error) != BKS_OK) …
///     do {
///         bks_match_wait(match);                      // sleeps until the next tick is due
///         bks_match_input(match, 0, &pad);
///         draw(bks_match_state(match));
///     } while (bks_match_update(match) == BKS_OK);
///     bks_match_close(match);
///
/// Thread rule: a match belongs to the thread that opened it.

#ifndef BACKSTITCH_MATCH_H
#define BACKSTITCH_MATCH_H

#include "backstitch/event.h"
#include "backstitch/game.h"
#include "backstitch/net.h"
#include "backstitch/record.h"
#include "backstitch/tuning.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bks_cue_event;
struct bks_frame;
struct bks_insight;

/// What a match needs, copied by bks_match_open(). Start from bks_match_config_default().
typedef struct bks_match_config {
    const bks_game *game;     ///< required, must outlive the match
    const char *invitation;   ///< "bks://HOST:PORT/#KEY" joins that match; NULL (default) hosts one
    const char *bind_address; ///< "PORT", "ADDR:PORT" or "[ADDR6]:PORT"; default "0": any free port
    uint32_t players;         ///< host: seats, default 2, or 1 for a game of one player
    uint32_t local_players;   ///< seats on this machine, default 1
    bks_option_values options; ///< host: used if has_options; start from
                               ///< bks_option_values_default()
    bool has_options;          ///< false (default): the game's default options
    uint64_t seed;             ///< host; 0 (default): the system draws one
    bks_tick ticks;            ///< host: length of the match; 0 (default): no end
    const void *start_state;   ///< as in bks_peer_config, default NULL: begin with `init`; NULL
                               ///< with play_path
    size_t start_state_bytes;  ///< size of start_state, 0 without it
    bks_tick start_tick;       ///< the match continues from the start of this tick
    bks_tuning tuning;         ///< default bks_tuning_default(). If drawing takes long, set a
                               ///< smaller budget_us. When all players are local, the
                               ///< window is 0, BKS_AUTO of delay_ticks is 0 and of
                               ///< hash_every_ticks is 1
    uint32_t join_timeout_ms;  ///< how long a guest waits for the host's reply, default 10000; 0
                               ///< waits forever. After 1 s, or half of a timeout under 2 s,
                               ///< BKS_EVENT_WAITING and a log line say which address it waits for
    const char *identity_path; ///< file that keeps the secret by which this player is known again
                               ///< after a crash, so that it gets its seats back; made if missing.
                               ///< What others see of it differs from match to match. While a
                               ///< match uses it, another one takes PATH.2, up to PATH.16. NULL
                               ///< (default): a new secret for each match
    const char *record_path;   ///< the recording's file; NULL (default): GAME-DATE-TIME-PID.bks in
                               ///< the working folder, or none with play_path
    bool record;               ///< default true
    const char *play_path;     ///< play this recording, up to the last tick that was begun or to
                               ///< `ticks`: seats, seed, options, inputs and answers come from it,
                               ///< all players are local, and every hash is compared. NULL
                               ///< (default): a new match
    bool tick_per_update; ///< every bks_match_update() steps one tick, whatever the clock says: for
                          ///< a game that steps once for each picture, or for full speed.
                          ///< All players must be local. Default false
    uint32_t arithmetic;  ///< as in bks_session_config
    const char *build;    ///< as in bks_peer_config: names the game's build in the recording
    bks_replay_detail record_detail; ///< what the recording holds; keyframe_ticks is BKS_AUTO here
    bks_source sources[BKS_PLAYERS_MAX]; ///< by local player; where `sample` is NULL (default),
                                         ///< bks_match_input()
    uint32_t cues_per_tick;            ///< as in bks_peer_config, for bks_match_cue(). 0 (default):
                                       ///< no one listens
    uint32_t pictures;                 ///< a bks_pictures (frame.h), as in bks_peer_config, for
                                       ///< bks_match_frame(); not with tick_per_update. Default
                                       ///< BKS_PICTURES_NONE
    const struct bks_insight *insight; ///< measure the match, and let bks inspect look at it
                                       ///< (insight.h); copied. NULL (default): neither
    const struct bks_workers *workers; ///< do the jobs of steps (jobs.h); copied; its context must
                                       ///< outlive the match. NULL (default): in place
    /// As in bks_peer_config: answers what a step asks by bks_ask(); every player must be on this
    /// machine. NULL (default): nothing is answered.
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *answer_context;           ///< handed to answer, may be NULL
    uint32_t sync_test_ticks;       ///< as in bks_peer_config: takes every tick back while all
                                    ///< players are local, to find what is not deterministic;
                                    ///< 0..60, default 0: off
    const bks_transport *transport; ///< NULL (default): UDP. Otherwise this one carries the
                                    ///< packets, bind_address is not used and invitation must
                                    ///< be NULL. Copied; its context must outlive the match
    bks_address host_address;       ///< guest with `transport`: the host's address; length 0
                                    ///< (default): this machine is the host. Must be 0 over UDP
    uint8_t key[BKS_KEY_BYTES];     ///< the match's secret, the same random bytes on all peers.
                                    ///< Required with `transport`; a UDP host with zeros (default)
                                    ///< draws one; a UDP guest takes it from the invitation
    bks_allocator allocator;        ///< default malloc and free
    uint32_t cookie;                ///< set by bks_match_config_default(), do not edit
} bks_match_config;

/// Defaults for every field that has one.
/// This symbol is exported for the bindings of other languages; it leaves `arithmetic` 0. In C and
/// C++ the macro below replaces it.
BKS_API bks_match_config bks_match_config_default(void);

/// Not exported, compiled into the caller: the same defaults, with `arithmetic` set to the faults
/// of the caller's floating-point arithmetic.
BKS_OWN_UNIT bks_match_config bks_match_config_here(void)
{
    bks_match_config config = bks_match_config_default();
    config.arithmetic = bks_arithmetic_here();
    return config;
}
#define bks_match_config_default() bks_match_config_here()

/// One match on this machine. Opaque.
typedef struct bks_match bks_match;

/// Open a match: bind the socket and begin to host or to join. Returns at once; the other peers
/// join during later updates.
/// @param config  copied; strings need not outlive the call
/// @param out     receives the match, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG (also for BKS_ON_DESYNC_RESYNC with a
///         game whose states cannot be repaired), BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO;
///         with play_path also BKS_ERR_UNSUPPORTED (no recording, or one of another game or
///         version), BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (the file holds no tick)
/// Owned by the caller; release with bks_match_close().
BKS_API BKS_NODISCARD bks_status bks_match_open(const bks_match_config *config, bks_match **out,
                                                bks_error *error);

/// Leave the match, wait up to a second until the other peers have the inputs they need from us,
/// then close the recording and the socket. NULL is allowed.
BKS_API void bks_match_close(bks_match *match);

/// The text that other players need to join, "bks://127.0.0.1:7777/#KEY" with 43 letters of key. To
/// put another address into it, see invitation.h.
/// Valid until bks_match_close().
/// @return the text; "" for NULL, with your own transport, or when all players are local
BKS_API const char *bks_match_invitation(const bks_match *match);

/// Sleep until the next tick is due or a packet needs an earlier update, at most 50 ms. Other
/// packets are received meanwhile. Call it just before reading the devices, so that the input is
/// fresh. With tick_per_update it returns at once.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_match_wait(bks_match *match);

/// The same, no longer than until a time: for a loop whose next picture is due before the next
/// tick.
/// @param until_ns  on the clock of bks_match_now()
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_match_wait_until(bks_match *match, uint64_t until_ns);

/// Set the input of a local player from now on.
/// @param local_player  0..local_players-1
/// @param input         field_count int32_t in the order of the game's fields, each in its range
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (the log names the field, its value and range)
BKS_API BKS_NODISCARD bks_status bks_match_input(bks_match *match, uint32_t local_player,
                                                 const void *input);

/// Receive packets, roll back if an input was guessed wrong, step the ticks that are due, and send.
/// Never blocks. While no tick is due the state does not change, however often this is called.
/// @return BKS_OK while the match gathers or runs; BKS_OVER once it has ended;
///         BKS_ERR_REFUSED, BKS_ERR_TIMEOUT, BKS_ERR_PEER_LOST when it failed;
///         BKS_ERR_GAME when the game failed, by a failing `save` or `load`, by bks_fail() or
///         in the test of sync_test_ticks: BKS_EVENT_FAILED says why;
///         BKS_ERR_DESYNC instead of BKS_OVER when our states differed from a peer's, or from
///         those recorded in play_path: BKS_EVENT_DESYNC names the first tick as soon as it is
///         known, and the match plays on, unless tuning.on_desync ends it;
///         BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY when the game could not be created with the
///         host's options, BKS_ERR_DAMAGED when it cannot take start_state: BKS_EVENT_REFUSED says
///         why;
///         BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_update(bks_match *match);

/// Which seat a local player has: the `player` that the game's step knows it as.
/// @param local_player  0..local_players-1
/// @return the seat, 0..players-1; -1 while it is not known (before BKS_EVENT_JOINED), and for
///         NULL or a number out of range
BKS_API int32_t bks_match_seat(const bks_match *match, uint32_t local_player);

/// How many players play: the `players` of a step.
/// @return 1..BKS_PLAYERS_MAX; 0 before the match has started, and for NULL
BKS_API uint32_t bks_match_players(const bks_match *match);

/// Whether the match has started. Do not show the state before.
BKS_API bool bks_match_started(const bks_match *match);

/// The state as it is now. Read only, valid until the next bks_match_update().
/// @return the state, NULL for NULL
BKS_API const void *bks_match_state(const bks_match *match);

/// The time on the match's clock, for bks_match_frame().
/// @return nanoseconds since some moment, never falling
BKS_API uint64_t bks_match_now(void);

/// What to draw at a time: see frame.h. Before the start, without `pictures`, and after a step that
/// failed, the newest state alone. Takes no memory.
/// @param now_ns  when the picture is seen: bks_match_now(), or later by what is known of the
///                screen's delay
/// @param frame   receives it; its states are valid until the next bks_match_frame() or
///                bks_match_update()
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_match_frame(bks_match *match, uint64_t now_ns, struct bks_frame *frame);

/// Take the oldest event, as bks_session_event().
BKS_API bool bks_match_event(bks_match *match, bks_event *event);

/// Take what is to be reported of cues, after each bks_match_update(): see cues.h.
/// @param event  receives it, not NULL
/// @return false when there is none, also with cues_per_tick 0 (logged once if the game names cues)
BKS_API bool bks_match_cue(bks_match *match, struct bks_cue_event *event);

/// One machine in a match, see peer.h.
typedef struct bks_peer bks_peer;

/// The peer inside, for statistics, ticks, hashes and costs (peer.h). Do not update it.
/// @return the peer, NULL for NULL
BKS_API bks_peer *bks_match_peer(bks_match *match);

/// How the match plays, in one line for people, for an overlay: "round trip 31 ms, delay 2 ticks,
/// 14 rollbacks of 1.6 ticks, waited 3 ticks". The round trip is that of the slowest link to a peer
/// that has not left, and the delay that of our input, both as they are now; the rest is since the
/// match began. What is not there is left out. The numbers themselves: bks_session_stats().
/// @param out       receives it, zero-terminated, not NULL
/// @param capacity  bytes there, above 0; 128 are enough
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL: it is cut
BKS_API bks_status bks_match_numbers(bks_match *match, char *out, size_t capacity);

/// As the host, let a peer go that the others still hear, as bks_session_drop(). How often each
/// made us wait stands in bks_link_stats.
/// @return BKS_OK, BKS_ERR_PEER_LOST, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_drop(bks_match *match, uint32_t peer);

/// Leave a line in the recording at the present tick, as bks_peer_note().
/// @param text  under 128 bytes of printable ASCII
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_note(bks_match *match, const char *text);

/// Path of the recording, "" when there is none. Valid until bks_match_close().
BKS_API const char *bks_match_record_path(const bks_match *match);

/// Whether the recording is complete so far. When a write fails, as on a full disk, the recording
/// ends and a log line says why; what is in it can be played, and the match continues.
/// @return BKS_OK, also when there is none; BKS_ERR_IO once it has ended; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_record_status(const bks_match *match);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_MATCH_H
