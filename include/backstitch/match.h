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
///     bks_status status = bks_match_open(&config, &match, &error);
///     while (status == BKS_OK) {
///         (void)bks_match_wait(match);                // sleeps until the next tick is due
///         status = bks_match_input(match, 0, &pad);
///         if (status == BKS_OK) status = bks_match_update(match);
///         if (bks_match_started(match)) draw(bks_match_state(match));
///     }
///     bks_match_close(match);
///
/// Thread rule: a match belongs to the thread that opened it. The calls that update it, wait, or
/// give it something (inputs, commands, notes, bytes, pause, speed, drop) refuse to begin while
/// another of them has not returned (BKS_ERR_BAD_ARGUMENT): whether that is in a second thread, as
/// the log says with both, or calls back, as an update does with `step` and sources, and
/// bks_match_command() with `on_command`.

#ifndef BACKSTITCH_MATCH_H
#define BACKSTITCH_MATCH_H

#include "backstitch/game.h"
#include "backstitch/net.h"
#include "backstitch/record.h"

#ifdef __cplusplus
extern "C" {
#endif

// Events of a session while it runs: peers that join, fall silent and leave, a desync, the end. A
// peer and a match pass on the events of their session.
//
//     bks_event event;
//     while (bks_match_event(match, &event)) {
//         printf("%s: %s\n", bks_event_kind_name(event.kind), event.text);
//     }
//
// Thread rule: plain data.

/// Kinds of event of a session.
typedef enum bks_event_kind {
    BKS_EVENT_JOINED = 0,  ///< on the host: `peer` got a seat; on a guest: we got a seat
    BKS_EVENT_STARTED = 1, ///< the match has started: the first tick is due
    /// A peer (the host, a guest or we) refused to play: `text` says what differs. If states of the
    /// first tick differ, `tick` is the first tick, and `peer` is the first peer whose state
    /// differs from the host's. If the roster of the guest `peer` differs from ours, either the
    /// host has sent two rosters or that guest lies: before the match (`tick` is BKS_TICK_NONE) we
    /// do not start while the rosters differ; during the match we do not play with that guest.
    BKS_EVENT_REFUSED = 2,
    /// The window is used up: `tick` waits for input of `peer`. If `peer` is our own number, `tick`
    /// waits for the end of a repair, whichever peer is repaired.
    BKS_EVENT_STARVED = 3,
    /// The input that BKS_EVENT_STARVED waited for has arrived from `peer`, or the match continues
    /// without `peer`; if `peer` is our own number, the repair has ended.
    BKS_EVENT_RESUMED = 4,
    BKS_EVENT_SILENT = 5, ///< no packet of `peer` has arrived for notify_after_ms, by any path
    BKS_EVENT_BACK = 6,   ///< packets of `peer` arrive again
    /// No packet of `peer` has arrived for drop_after_ms, or for longer if the line needs it:
    /// `peer` is about to be dropped. If the host falls silent before the start, our match has
    /// failed. Also as soon as `peer` sends what no honest peer sends, such as commands that break
    /// the rules: `text` says what, and from then on `peer` counts as silent.
    BKS_EVENT_LOST = 7,
    /// `peer` left, or was dropped for its silence or by the host: its players' inputs are neutral
    /// from `tick` on, and the match continues. Before the start `tick` is BKS_TICK_NONE and the
    /// seats of `peer` are free again; if the host leaves then, our match has ended.
    BKS_EVENT_LEFT = 8,
    BKS_EVENT_DESYNC = 9, ///< `tick` is the first at which our state and that of `peer` differ
    BKS_EVENT_ENDED = 10, ///< every tick before `tick` is confirmed on all peers
    /// The others, `peer` among them, play on without us; our match has ended. `tick` is
    /// BKS_TICK_NONE if we did not hear of the start.
    BKS_EVENT_DROPPED = 11,
    /// `peer` (maybe our own number) is too slow for its rollbacks: `text` says whether its input
    /// delay rises, or ticks become longer on all peers.
    BKS_EVENT_SLOW = 12,
    BKS_EVENT_KEEPS_UP = 13,    ///< `peer` is no longer too slow
    BKS_EVENT_OTHER_BUILD = 14, ///< `peer` runs another build of the game; the match continues
    /// Our game failed at `tick`: `text` says why. Our match has ended, the others play on.
    BKS_EVENT_FAILED = 15,
    /// Only on a guest: the host has not given us a seat for 1 s, or for half of join_timeout_ms if
    /// that is less: `text` has the host's address and says what is known of the host. Reported
    /// once; we continue to ask for a seat.
    BKS_EVENT_WAITING = 16,
    /// The line to `peer` carries less than the match needs, although we already send the fewest
    /// and smallest packets possible: `text` says what it carries and what is needed. Reported at
    /// most once a minute.
    BKS_EVENT_NARROW = 17,
    /// Follows BKS_EVENT_DESYNC: `text` names the part of the state that differs;
    /// bks_session_difference() gives the details.
    BKS_EVENT_NAMED = 18,
    /// States of peers differ and tuning.on_desync is stop, or they could not be repaired: the
    /// match ends before `tick` on all peers, as `peer` (maybe our own number) decided; `tick` is
    /// about a second ahead.
    BKS_EVENT_STOPPING = 19,
    /// The state of `peer` (maybe our own number) equals that of the others again from `tick` on:
    /// bks_session_repairs() says more.
    BKS_EVENT_REPAIRED = 20,
    /// Before the start: `peer` makes or gets the state of the first tick, for notify_after_ms
    /// already. If `peer` is our own number, for 1 s already: `text` says how much of the state has
    /// come from the host; reported again every 5 s.
    BKS_EVENT_LOADING = 21,
    /// The match pauses or continues at `tick`, or has another speed from `tick` on, as `peer`
    /// wanted; bks_session_roster() says what is in force. Also on the guest `peer` that asked for
    /// it: the host has refused it, and `text` says why.
    BKS_EVENT_SPEED = 22,
} bks_event_kind;

/// Get the name of a kind of event, such as "desync". Never NULL, never freed.
/// @return the name, "unknown" for any other number
BKS_API const char *bks_event_kind_name(bks_event_kind kind);

/// One event of a session.
typedef struct bks_event {
    bks_event_kind kind; ///< kind of event, which says what `peer` and `tick` mean
    uint32_t peer;       ///< the peer concerned, 0..BKS_PEERS_MAX-1
    bks_tick tick;       ///< tick of the event; BKS_TICK_NONE when no tick belongs to it
    bks_tick found_tick; ///< BKS_EVENT_DESYNC: our present tick when we found the difference
    /// Our hash: for BKS_EVENT_DESYNC, and for BKS_EVENT_REFUSED when states of the first tick
    /// differ.
    uint64_t own_hash;
    /// Hash of the state of `peer` at `tick`; 0 if only some of its bits are known.
    uint64_t peer_hash;
    /// BKS_EVENT_DESYNC: true if the confirmed inputs before `tick` differ, not just the states.
    bool inputs_differ;
    char text[128]; ///< one sentence for people, never empty
} bks_event;

// Tuning of a match: how far it predicts, how late inputs are, what an update may cost, how long it
// waits for a silent peer. The configs of a session, a match and a lab hold one bks_tuning each,
// with the same defaults and the same ranges.
//
//     bks_match_config config = bks_match_config_default();
//     config.tuning.window_ticks = 8;
//     config.tuning.delay_ticks = 2;              // BKS_AUTO: the session chooses
//
// [INVERSUS] is a source, listed in docs/sources.md.
//
// Thread rule: plain data.

/// Maximum number of ticks that the game may run ahead of confirmed input.
#define BKS_WINDOW_MAX 64

/// Maximum input delay: ticks between sampling an input and stepping with it.
#define BKS_DELAY_MAX 255

/// Maximum number of hashed ticks whose states are kept until all peers agree on them.
#define BKS_KEEP_TICKS_MAX 256

/// Slowest speed of a match, in percent of its tick rate.
#define BKS_SPEED_MIN 25

/// Fastest speed of a match, in percent of its tick rate.
#define BKS_SPEED_MAX 400

/// Longest pause, in ms.
#define BKS_PAUSE_MS_MAX 600000

/// Most time that all pauses of one guest together may take, in ms.
#define BKS_GUEST_PAUSES_MS_MAX 300000

/// Maximum number of pauses for which each guest may ask.
#define BKS_GUEST_PAUSES_MAX 31

/// Maximum size of the buffer of a stream beside the match, in bytes.
#define BKS_BULK_BYTES_MAX 268435456

/// Most watchers that one machine of a match serves.
#define BKS_WATCHERS_MAX 64

/// Policies that say of which ticks a session keeps snapshots.
typedef enum bks_save_policy {
    BKS_SAVE_EVERY = 0, ///< a snapshot of every tick, in window + 2 snapshot slots
    /// Two snapshots; the older one is overwritten when the newer one is window ticks old
    /// [INVERSUS].
    BKS_SAVE_TWO = 1,
    /// One snapshot, window ticks old, that every update loads: constant cost [INVERSUS].
    BKS_SAVE_ONE = 2,
    /// Snapshots at the spacing that makes the longest update shortest, computed from the measured
    /// costs of operations; like BKS_SAVE_TWO until those costs are known.
    BKS_SAVE_AUTO = 3,
} bks_save_policy;

/// Ways in which a peer that is ahead of the others waits for them.
typedef enum bks_pace {
    BKS_PACE_SLEW = 0, ///< the peer lengthens its ticks by up to 2 %, too little to notice
    /// The peer skips single ticks, for screens tied to the tick rate [INVERSUS].
    BKS_PACE_STALL = 1,
    BKS_PACE_NONE = 2, ///< the peer does not wait
} bks_pace;

/// Policies for peers whose states differ (BKS_EVENT_DESYNC).
typedef enum bks_on_desync {
    BKS_ON_DESYNC_REPORT = 0, ///< the match continues; at its end an update returns BKS_ERR_DESYNC
    /// The match ends for all peers at the same tick, reported by BKS_EVENT_STOPPING.
    BKS_ON_DESYNC_STOP = 1,

    /// The match continues; peers whose states differ get the differing bytes from the others
    /// (BKS_EVENT_REPAIRED). After a third repair within a minute, or a failed one, the match stops
    /// as with BKS_ON_DESYNC_STOP. Create and open refuse this policy for a game whose state holds
    /// raw pointers, or whose save, load and save again give different bytes, or whose state may
    /// take more than 256 MiB, or more than 4 MiB if the game has its own `hash` and so no hashes
    /// of pages.
    BKS_ON_DESYNC_RESYNC = 2,
} bks_on_desync;

/// Tuning of a match. Start from bks_tuning_default(), which every config's defaults call: 0 is a
/// real value here (window 0 is lockstep; with delay 0 an input acts in the tick that is due when
/// it is sampled). If a value is out of range, the error names the field, such as "tuning.pace".
typedef struct bks_tuning {
    /// Prediction window in ticks, 0..BKS_WINDOW_MAX, default 20; 0 is lockstep.
    uint32_t window_ticks;
    /// Input delay in ticks, 0..BKS_DELAY_MAX. BKS_AUTO (default): as long as the worst lag
    /// demands, up to 67 ms; longer in lockstep, or if the window is shorter than the lag.
    uint32_t delay_ticks;
    bks_pace pace;        ///< how this peer waits when it is ahead, default BKS_PACE_SLEW
    bks_save_policy save; ///< policy for snapshots, default BKS_SAVE_AUTO

    /// Limit for the longest update in microseconds, 1..1000000; 0: no limit; BKS_AUTO (default):
    /// three quarters of a tick. If an update would take longer and delay_ticks is BKS_AUTO, the
    /// delay rises, to 8 at most; if that is not enough, ticks become up to four times as long, on
    /// all peers.
    uint32_t budget_us;
    /// Ticks from one compared state hash to the next, 1..1000; BKS_AUTO (default): 1 with a
    /// window, one second of ticks in lockstep. All peers use the host's value.
    uint32_t hash_every_ticks;
    /// Most hashed ticks for which a state is kept until all peers agree on its hash,
    /// 0..BKS_KEEP_TICKS_MAX, default 64; 0: no state is kept, and a difference gets no name; with
    /// BKS_ON_DESYNC_RESYNC at least 1. For a game that manages its own state, keeping costs a call
    /// of its `save` at each hash.
    uint32_t keep_ticks;
    /// Policy when states of peers differ, default BKS_ON_DESYNC_REPORT. All peers use the host's
    /// value.
    bks_on_desync on_desync;
    /// Silence of a peer before BKS_EVENT_SILENT, in ms, 100..60000, default 1000.
    uint32_t notify_after_ms;
    /// Silence of a peer before the others play on without it, in ms, notify_after_ms..600000,
    /// default 5000. It is raised to what the line to the peer needs, which the log says
    /// (`session.patience`): 40 ticks, but 1 to 2 s, plus a round trip, because lines lose several
    /// packets in a row, and a round trip more until the peer's first packet after the start.
    /// Before the start it is at least 5 s, because a lobby sends only four packets a second; while
    /// a peer loads it is at least 120 s. Time in which our own program did not run does not count.
    uint32_t drop_after_ms;
    /// Number of pauses for which each guest may ask in a match, 0..BKS_GUEST_PAUSES_MAX, default
    /// 3; 0: the host alone pauses the match and changes its speed. All peers use the host's value.
    uint32_t guest_pauses;
    /// Size in bytes of the buffer of each stream beside the match, one to and one from each of 7
    /// peers, 1024..BKS_BULK_BYTES_MAX; 0 (default): no streams. See bks_session_bulk_write().
    uint32_t bulk_bytes;
} bks_tuning;

/// Get a tuning with the default in every field.
BKS_API bks_tuning bks_tuning_default(void);

/// Configuration of a match, copied by bks_match_open(). Start from bks_match_config_default().
typedef struct bks_match_config {
    const bks_game *game; ///< the game to play, required, must outlive the match
    /// Invitation to the match to join, "bks://HOST:PORT/#KEY"; NULL (default): host a match.
    const char *invitation;
    /// Address to listen on, "PORT", "ADDR:PORT" or "[ADDR6]:PORT"; default "0": any free port.
    /// Without ADDR a host listens as bks_udp_open() says, and a guest uses the host's version of
    /// IP.
    const char *bind_address;
    /// Host: number of seats in the match, default 2, or 1 for a game of one player.
    uint32_t players;
    /// Number of seats on this machine, default 1. In a match of several machines the inputs of
    /// one machine's seats may have at most 3200 bits together, such as 5 seats of 512 bits. In a
    /// game with commands it is 2688 bits, of which each seat takes 10 more.
    uint32_t local_players;
    /// Host: option values of the match, used if has_options is true; start from
    /// bks_option_values_default().
    bks_option_values options;
    /// True: use `options`; false (default): use the game's default options.
    bool has_options;
    uint64_t seed;  ///< host: seed of the match; 0 (default): the system draws one
    bks_tick ticks; ///< host: length of the match in ticks; 0 (default): no end
    /// State to continue from, as bks_playback_export() writes it; must outlive the match. A guest
    /// with NULL gets the host's before the start; one that has another state is refused. NULL
    /// (default): the host begins with `init`. Must be NULL with play_path.
    const void *start_state;
    size_t start_state_bytes; ///< size of start_state, 0 without one
    /// Tick at whose start start_state is: the match continues from there. 1..BKS_FIRST_TICK_MAX
    /// with start_state, because every recording from tick 0 on is played from `init` on; else 0.
    bks_tick start_tick;
    /// Tuning of the match, default bks_tuning_default(). If drawing takes long, set a smaller
    /// budget_us. When all players are local, the window is 0, and BKS_AUTO means a delay_ticks of
    /// 0 and a hash_every_ticks of 1.
    bks_tuning tuning;
    /// Time in ms that a guest waits for the host's reply, default 10000; 0 waits forever.
    /// BKS_EVENT_WAITING and a log line name the host's address after 1 s, or after half of a
    /// timeout under 2 s.
    uint32_t join_timeout_ms;

    /// File that keeps the secret by which this player is known again after a crash, so that it
    /// gets its seats back; made if missing. Other peers cannot recognise the player by it from one
    /// match to the next. While a match uses the file, another match takes PATH.2, up to PATH.16.
    /// NULL (default): a new secret for each match.
    const char *identity_path;
    /// Path of the file for the recording; NULL (default): GAME-DATE-TIME-PID.bks in the working
    /// folder, or no recording with play_path.
    const char *record_path;
    bool record; ///< true (default): record the match
    /// Most watchers at a time, 0..BKS_WATCHERS_MAX, default 8; 0: nobody may watch, and those who
    /// have an invitation are told so. Whoever has the invitation can watch by bks_feed_open();
    /// bks_invitation_to_watch() makes one that opens no seat. Every machine of the match serves
    /// watchers by itself, at its own address, and tells them the addresses of the others: a
    /// watcher that finds no place, or whose machine is lost or too slow, goes on with another one.
    /// Each place takes about 0.2 MB of memory, and watching as a whole twice the bytes of a state,
    /// and in a game with commands 0.13 MB for each player. A state that holds raw pointers or
    /// takes more than 64 MiB is not sent: the match is watched from its first tick, for 10 min.
    uint32_t watchers;
    /// Time in ms by which watchers see the match late, so that none can help a player, 0..600000,
    /// default 0. Set the same on all machines, since a watcher may ask any of them. Whoever leaves
    /// a match that goes on sends no more than bks_match_close() has time for, 1 s: its watchers
    /// get the rest from another machine that takes watchers, and else not at all.
    uint32_t watch_delay_ms;
    /// Most bytes a second that go to all watchers together, 1000..12500000, default 64000. Beside
    /// the state a watcher takes about 1100 in a small game. What is sent to players never waits
    /// for them.
    uint32_t watch_bytes_per_s;
    /// Path of a recording to play, up to the last tick that was begun or to `ticks`: seats, seed,
    /// options, inputs and answers come from the recording, all players are local, and every hash
    /// is compared. NULL (default): a new match.
    const char *play_path;
    /// True: every bks_match_update() steps one tick, whatever the clock says, for a game that
    /// steps once for each picture, or for full speed; in a pause it steps none, and the pause has
    /// no longest time. All players must be local. Default false.
    bool tick_per_update;
    /// Faults of the game's compiled arithmetic, bits of bks_arithmetic. Leave the value that
    /// bks_match_config_default() set: peers compare it, so that a peer whose build calculates
    /// differently is refused.
    uint32_t arithmetic;
    /// Name of the game's build, for the recording and for peers with another build
    /// (BKS_EVENT_OTHER_BUILD); up to 63 bytes of printable ASCII; NULL (default): empty.
    const char *build;
    /// Contents of the recording; the default of keyframe_ticks is BKS_AUTO here.
    bks_replay_detail record_detail;
    /// Sources of inputs by local player; if `sample` is NULL (default), bks_match_input() gives
    /// the inputs.
    bks_source sources[BKS_PLAYERS_MAX];
    /// Most cues of one tick that bks_match_cue() reports, 0..BKS_CUES_PER_TICK_MAX, for a game
    /// with cues or commands. 0 (default): cues are not collected, and no refused command is
    /// reported.
    uint32_t cues_per_tick;
    /// Kind of pictures, a bks_pictures (game.h), for bks_match_frame(); not allowed with
    /// tick_per_update. Default BKS_PICTURES_NONE.
    uint32_t pictures;
    /// Settings for measuring the match and for bks inspect; copied. NULL (default): the match is
    /// not measured, and bks inspect is not served.
    const struct bks_insight *insight;
    /// Workers for the jobs of steps (det.h); copied; their context must outlive the match. NULL
    /// (default): jobs run on the calling thread.
    const struct bks_workers *workers;

    /// Answer what a step asks by bks_ask(): write the fact that `question` is about, as it is now,
    /// into `out` (BKS_ANSWER_BYTES_MAX bytes). Called once for each question of a tick. Allowed
    /// only if every player is on this machine. NULL (default): questions get no answer.
    /// @return size of the answer in bytes, 0: there is no answer
    size_t (*answer)(void *context, bks_tick tick, uint32_t question, void *out);
    void *answer_context; ///< passed to `answer`, may be NULL
    /// With only local players: roll back this many ticks after every tick, step them again and
    /// compare, to find what is not deterministic; 0..60, 8 is usual, default 0: off. If a result
    /// differs, the match ends with BKS_EVENT_FAILED.
    uint32_t sync_test_ticks;
    /// Transport of the packets; NULL (default): UDP. With one of your own, bind_address is not
    /// used and invitation must be NULL. Copied; its context must outlive the match.
    const bks_transport *transport;
    /// Guest with `transport`: the host's address; length 0 (default): this machine is the host.
    /// Must be 0 over UDP.
    bks_address host_address;
    /// The match's secret, the same random bytes on all peers. Required with `transport`; a UDP
    /// host with zeros (default) draws one; a UDP guest takes it from the invitation.
    uint8_t key[BKS_KEY_BYTES];
    bks_allocator allocator; ///< memory hooks, default malloc and free
    uint32_t cookie;         ///< check value set by bks_match_config_default(), do not edit
} bks_match_config;

/// Get a config with the default in every field that has one; required fields are 0 or NULL. In C
/// and C++ the macro below replaces this function and also sets `arithmetic`. The exported symbol
/// is for the bindings of other languages and leaves `arithmetic` 0.
BKS_API bks_match_config bks_match_config_default(void);

/// Get a config with the same defaults as bks_match_config_default(), and with `arithmetic` set to
/// the faults of the caller's floating-point arithmetic. The function is compiled into the caller,
/// so that it can find these faults.
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

/// Leave the match, wait up to a second for the other peers to receive the inputs they need from
/// us, then close the recording and the socket. NULL is allowed.
BKS_API void bks_match_close(bks_match *match);

/// Get the invitation that other players need to join, such as "bks://127.0.0.1:7777/#KEY", where
/// KEY has 43 characters. A guest gets the invitation by which it joined, and may pass it on.
/// bks_invitation_format() puts another address into it. Valid until bks_match_close().
/// @return the text; "" for NULL, with your own transport, or when all players are local
BKS_API const char *bks_match_invitation(const bks_match *match);

/// Sleep until the next tick is due or a packet needs an earlier update, at most 50 ms. Other
/// packets are received meanwhile. Call it just before reading the devices, so that the input is
/// fresh. With tick_per_update it returns at once.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_match_wait(bks_match *match);

/// Sleep as bks_match_wait() does, but at the longest until a given time: for a loop whose next
/// picture is due before the next tick.
/// @param until_ns  time on the clock of bks_match_now()
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_match_wait_until(bks_match *match, uint64_t until_ns);

/// Give a command of a local player (game.h). It becomes part of the next tick that is sampled. If
/// that tick has no room for the whole command, it becomes part of a later tick. Commands keep
/// their order. In a match of several machines about 290 bytes of commands, packed, travel with the
/// ticks of each round trip to the farthest peer. A burst of more travels ahead, and becomes part
/// of ticks once all peers have it. The commands of a player may have 256 KiB in any 1024 ticks,
/// with 2 bytes more for each; those beyond wait, which is logged once (`input.commands`). Allowed
/// before the start. Commands of the player's source (config.sources) come beside these. With
/// play_path a command has no effect, but must be valid there, too.
/// @param local_player  0..local_players-1
/// @param bytes         not NULL, copied
/// @param count         1..command_bytes_max of the game
/// @return BKS_OK; BKS_ERR_FULL when the commands that wait leave no room for this one: it was not
///         taken; BKS_OVER when the match has ended; BKS_ERR_UNSUPPORTED in a game without
///         commands; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_command(bks_match *match, uint32_t local_player,
                                                   const void *bytes, size_t count);

/// Set the input of a local player from now on. The value is held: each tick that becomes due takes
/// the newest one. Allowed before the start. It has no effect for a player with a source
/// (config.sources), nor with play_path, but must be in range there, too.
/// @param local_player  0..local_players-1
/// @param input         field_count int32_t in the order of the game's fields, each in its range
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (the log names the field, its value and range)
BKS_API BKS_NODISCARD bks_status bks_match_input(bks_match *match, uint32_t local_player,
                                                 const void *input);

/// Receive packets, roll back if an input was guessed wrong, step the ticks that are due, and send.
/// Never blocks. If no tick is due, the state does not change, however often this is called.
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

/// Get the seat of a local player: the number by which the game's step knows this player.
/// @param local_player  0..local_players-1
/// @return the seat, 0..players-1; -1 while it is not known (before BKS_EVENT_JOINED), and for
///         NULL or a number out of range
BKS_API int32_t bks_match_seat(const bks_match *match, uint32_t local_player);

/// Get the number of players: the `players` of a step.
/// @return 1..BKS_PLAYERS_MAX; 0 before the match has started, and for NULL
BKS_API uint32_t bks_match_players(const bks_match *match);

/// Return true once the match has started. Before that bks_match_state() is not yet the match's
/// state, so do not draw it.
BKS_API bool bks_match_started(const bks_match *match);

/// Get the present state. Read only, valid until the next bks_match_update(). `init` runs once: in
/// the bks_match_update() by which all players have joined, or in bks_match_open() when all players
/// are local. Before `init` a region holds zeros.
/// @return the state, NULL for NULL, and before `init` for a game that keeps its own state
BKS_API const void *bks_match_state(const bks_match *match);

/// Get the time on the match's clock, for bks_match_frame().
/// @return nanoseconds since some moment, never falling
BKS_API uint64_t bks_match_now(void);

/// Get the picture to draw at a time (bks_frame in game.h). Before the start, without `pictures`,
/// and after a step that failed, the picture is the newest state alone. Takes no memory.
/// @param now_ns  time at which the picture is seen: bks_match_now(), plus the screen's delay if it
///                is known
/// @param frame   receives the picture; its states are valid until the next bks_match_frame() or
///                bks_match_update()
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_match_frame(bks_match *match, uint64_t now_ns, struct bks_frame *frame);

/// Take the oldest event. Call it after each bks_match_update(), until it returns false.
/// @param event  receives the event, not NULL
/// @return true when there was an event
BKS_API bool bks_match_event(bks_match *match, bks_event *event);

/// Take the oldest event of a cue, after each bks_match_update(): see present.h.
/// @param event  receives the event, not NULL
/// @return false when no event waits; always with cues_per_tick 0 (logged once if the game names
///         cues)
BKS_API bool bks_match_cue(bks_match *match, struct bks_cue_event *event);

/// Get the match's session, for its roster, ticks, hashes and statistics (session.h). Do not update
/// it.
/// @return the session, NULL for NULL
BKS_API struct bks_session *bks_match_session(bks_match *match);

/// Send bytes to one peer beside the match, such as chat, an avatar or a map: reliable, in order,
/// as far as the line has room beside the match's packets. There is one stream to each peer; it has
/// no message boundaries. Both peers need tuning.bulk_bytes, the size of the stream's buffer. Never
/// blocks: accepted bytes are sent by later updates.
/// @param peer       number in the roster (bks_session_roster()), not our own; the host is 0
/// @param bytes      copied; may be NULL when count is 0
/// @param count      number of bytes
/// @param out_count  receives how many of the bytes were accepted, not NULL: fewer when the buffer
///                   is full, 0 before the start; send the rest later. 0 on failure
/// @return BKS_OK; BKS_ERR_PEER_LOST when the peer has left the match, BKS_OVER when the match has
///         ended: nothing more is sent, and what did not arrive is lost; BKS_ERR_UNSUPPORTED when
///         tuning.bulk_bytes is 0; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_send(bks_match *match, uint32_t peer, const void *bytes,
                                                size_t count, size_t *out_count);

/// Take bytes that a peer sent by bks_match_send(), the oldest first. Bytes that are not taken fill
/// the buffer and stop the sender.
/// @param peer       number in the roster, not our own
/// @param bytes      receives the bytes, not NULL when capacity is above 0
/// @param capacity   size of `bytes`
/// @param out_count  receives how many bytes were written to `bytes`, not NULL; 0 on failure
/// @return BKS_OK, with 0 bytes when none have arrived; once all are read, BKS_ERR_PEER_LOST or
///         BKS_OVER as for bks_match_send(); BKS_ERR_UNSUPPORTED, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_receive(bks_match *match, uint32_t peer, void *bytes,
                                                   size_t capacity, size_t *out_count);

/// Write one line for people on how the match plays, for an overlay: "round trip 31 ms, delay 2
/// ticks, 14 rollbacks of 1.6 ticks, waited 3 ticks". The round trip is the present one of the
/// slowest link to a peer that has not left, and the delay is our present input delay; the other
/// numbers count from the match's start. Numbers that do not apply are left out.
/// bks_session_stats() has them all.
/// @param out       receives the line of text, zero-terminated, not NULL
/// @param capacity  size of `out`, above 0; 128 are enough
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL: the line is cut
BKS_API bks_status bks_match_numbers(bks_match *match, char *out, size_t capacity);

/// Remove a peer from the match, see bks_session_drop(). Only the host may. bks_link_stats says how
/// often each peer made us wait.
/// @return BKS_OK, BKS_ERR_PEER_LOST, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_drop(bks_match *match, uint32_t peer);

/// Pause the match or let it continue, at one tick for all peers: see bks_session_pause().
/// @return BKS_OK, BKS_OVER, BKS_ERR_UNSUPPORTED, BKS_ERR_FULL, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_pause(bks_match *match, bool is_paused);

/// Change the speed of the match, from one tick on for all peers: see bks_session_speed().
/// @param percent  BKS_SPEED_MIN..BKS_SPEED_MAX; 100 is the tick rate of the game
/// @return BKS_OK, BKS_OVER, BKS_ERR_UNSUPPORTED, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_speed(bks_match *match, uint32_t percent);

/// Write a note, one line of text, into the recording at the present tick, and into those of the
/// watchers of this machine: for instance a line of chat, or who won a round. Without a recording
/// and watchers nothing happens. Each note goes to every watcher, and takes room of the newest
/// records, 256 KiB, that are held for watchers: so write a few a second at most.
/// @param text  under 128 bytes of printable ASCII
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_note(bks_match *match, const char *text);

/// Get the path of the recording, "" when there is none. Valid until bks_match_close().
BKS_API const char *bks_match_record_path(const bks_match *match);

/// Check that the recording is complete so far. When a write fails, as on a full disk, the
/// recording ends and a log line says why; the part already written can be played, and the match
/// continues.
/// @return BKS_OK, also when the match is not recorded; BKS_ERR_IO after a failed write;
///         BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_match_record_status(const bks_match *match);

// Invitations: the text that one player sends another to play, "bks://HOST:PORT/#KEY". A match
// writes and reads them itself. These calls are for a program that checks what a player typed, that
// puts another address into an invitation (of a forwarded port, or a name), or that has its own
// transport.
//
//     bks_invitation invitation;
//     status = bks_invitation_parse(bks_match_invitation(match), &invitation, &error);
//     if (status == BKS_OK) {
//         snprintf(invitation.address, sizeof(invitation.address), "play.example.org:7777");
//         status = bks_invitation_format(&invitation, text, BKS_INVITATION_BYTES_MAX);
//     }
//
// Thread rule: any thread may call these at any time.
// @see docs/spec/invitation.md

/// Room for any invitation, its terminating zero included; a longer text is refused.
#define BKS_INVITATION_BYTES_MAX 320

/// Room for the address in an invitation, its terminating zero included.
#define BKS_INVITATION_ADDRESS_BYTES_MAX 262

/// Contents of an invitation. Start from {0}.
typedef struct bks_invitation {
    /// Address of the host: "ADDR:PORT", "[ADDR6]:PORT" or "NAME:PORT", PORT 1..65535,
    /// zero-terminated. bks_udp_address_parse() looks it up.
    char address[BKS_INVITATION_ADDRESS_BYTES_MAX];
    uint8_t key[BKS_KEY_BYTES]; ///< the match's secret, or the one for watching
    /// True: an invitation for watching, "bks://HOST:PORT/watch#KEY", which opens no seat.
    bool is_for_watching;
} bks_invitation;

/// Parse an invitation without looking up its host. bks_udp_address_parse() checks if a host of
/// digits is an IP address.
/// @param text   zero-terminated, may be any bytes
/// @param out    receives the contents, not NULL; zero on failure
/// @param error  may be NULL; offset_bytes is the offset of the first wrong byte
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_invitation_parse(const char *text, bks_invitation *out,
                                                      bks_error *error);

/// Write an invitation.
/// @param out       receives zero-terminated text; "" on failure
/// @param capacity  at least 1; BKS_INVITATION_BYTES_MAX is enough for any
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT (also for a malformed address), BKS_ERR_TOO_SMALL
BKS_API BKS_NODISCARD bks_status bks_invitation_format(const bks_invitation *invitation, char *out,
                                                       size_t capacity);

/// Make an invitation for watching out of one for playing. The way back is not possible.
/// @param text      an invitation; one for watching stays as it is
/// @param out       receives zero-terminated text; "" on failure
/// @param capacity  BKS_INVITATION_BYTES_MAX is enough for any
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TOO_SMALL
BKS_API BKS_NODISCARD bks_status bks_invitation_to_watch(const char *text, char *out,
                                                         size_t capacity);

// Watching a match that is being played somewhere else, over the match's own UDP port. What arrives
// is a growing recording that begins with the state of a late tick: open it by
// bks_replay_open_growing(), and step it by a playback (replay.h), or write it to a file. If the
// machine from which it comes leaves or falls silent, another machine of the match continues it.
//
//     const bks_feed_config config = {.invitation = argv[1]};
//     bks_feed *feed = NULL;
//     bks_status status = bks_feed_open(&config, &feed, &error);
//     while (status == BKS_OK) {
//         status = bks_feed_update(feed);
//         bytes = bks_feed_bytes(feed, &count);
//         …                                            // open or refresh a replay, draw, sleep
//     }
//     bks_feed_close(feed);
//
// Thread rule: a feed belongs to one thread at a time.
// @see docs/spec/feed.md

/// Configuration of a feed. Start from {0}.
typedef struct bks_feed_config {
    const char *invitation;   ///< invitation to play or to watch, required
    const char *bind_address; ///< address to listen on, as in bks_match_config; NULL: any port
    uint32_t timeout_ms;      ///< ms to wait for the first answer; 0 (default): 10000
    size_t bytes_max; ///< most bytes of the recording, 320 more a record, 0..1 GiB; 0: 256 MiB

    /// Address at which others, 64 at most, watch what this feed watches, as bind_address; NULL
    /// (default): nobody does. At most four such feeds may follow one another.
    const char *serve_address;
    /// Game of the match, required with serve_address; must outlive the feed. bks_feed_update()
    /// steps it, for at most 4 ms and one tick, so that newcomers get a late state. If it is not
    /// the match's, nobody is served, and the log says so. Memory: 13 MB, two states and a
    /// playback.
    const bks_game *game;
    uint32_t serve_bytes_per_s; ///< bytes to all who watch here, 1000..12500000; 0: 250000
    bks_allocator allocator;    ///< memory hooks, default malloc and free
} bks_feed_config;

/// A match being watched. Opaque.
typedef struct bks_feed bks_feed;

/// Open a feed: bind a socket and begin to ask for the match. Returns at once, except that a host's
/// name is looked up.
/// @param config  copied; strings need not outlive the call
/// @param out     receives the feed, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_IO
/// Owned by the caller; release with bks_feed_close().
BKS_API BKS_NODISCARD bks_status bks_feed_open(const bks_feed_config *config, bks_feed **out,
                                               bks_error *error);

/// Say goodbye, close the sockets and release the recording. With serve_address it waits up to 1 s
/// until the other watchers have the end of a complete recording. NULL is allowed.
BKS_API void bks_feed_close(bks_feed *feed);

/// Receive and send packets. Never blocks; call it a hundred times a second or more often. The
/// recording grows with the match, and stays valid after any end. A feed that serves others sends
/// them what they lack after its end, too, as long as this is called.
/// @return BKS_OK while more may come, also before the match has started; BKS_OVER: the recording
///         is complete; BKS_ERR_TIMEOUT: nobody answers, or the key is wrong; BKS_ERR_REFUSED: the
///         source lets us not watch; BKS_ERR_PEER_LOST: the source fell silent or ended the feed,
///         and no other machine of the match goes on; BKS_ERR_DAMAGED: a source sent what is no
///         recording, or more than bytes_max; BKS_ERR_OUT_OF_MEMORY;
///         BKS_ERR_BAD_ARGUMENT. bks_feed_text() says more
BKS_API BKS_NODISCARD bks_status bks_feed_update(bks_feed *feed);

/// Get the recording so far: whole records only.
/// @param out_count  receives the number of bytes, not NULL; 0: nothing has come yet
/// @return the bytes, valid until the next bks_feed_update(), which may move them; NULL: none
BKS_API const void *bks_feed_bytes(const bks_feed *feed, size_t *out_count);

/// Get the invitation with which others watch here, "bks://HOST:PORT/watch#KEY". If others reach
/// this machine at another address, replace that in it, as for bks_match_invitation().
/// @return the text, valid until bks_feed_close(); "" for NULL and without serve_address
BKS_API const char *bks_feed_invitation(const bks_feed *feed);

/// Say in a sentence how the feed stands. Never NULL; valid until the next bks_feed_update().
BKS_API const char *bks_feed_text(const bks_feed *feed);

/// Second opinion about a match that is watched. A watcher sees what one machine, its source, says.
typedef struct bks_opinion {
    bks_tick tick; ///< tick whose state hash another machine of the match was asked for
    /// True if it has the same hash. If false, they have different states, which does not tell
    /// which of the two is wrong; after a split of the match both may be right.
    bool agrees;
    bks_address source; ///< the machine whose hash is in the recording
    bks_address other;  ///< the machine that was asked
} bks_opinion;

/// Take the newest second opinion. A feed asks for one each 10 s of the match, as long as another
/// machine of the match answers; a lockstep match with a hash_every_ticks of its own may have none.
/// One that does not agree is kept until it is taken, and newer ones are lost meanwhile.
/// @param out  receives the opinion, not NULL
/// @return true when one was taken, false when none is new or an argument was NULL
BKS_API bool bks_feed_opinion(bks_feed *feed, bks_opinion *out);

// Ways to observe a match while it runs: its figures (present.h), and bks inspect.
//
//     const bks_insight insight = {.inspect = "0", .inspect_changes = true};
//     config.insight = &insight;
//     if (bks_match_open(&config, &match, &error) != BKS_OK) …
//     fprintf(stderr, "BKS_INSPECT_TOKEN=%s bks inspect %s\n", bks_match_inspect_token(match),
//             bks_match_inspect_address(match));
//
// Thread rule: as the match.

/// Settings for measuring a match, and for bks inspect. Start from {0}: measure only.
typedef struct bks_insight {
    /// Window of the figures in ms, as in bks_meter_config; 0 (default): the meter's default.
    uint32_t window_ms;
    /// Time from one log line of the figures to the next in ms, as in bks_meter_config; 0
    /// (default): no lines.
    uint32_t log_every_ms;

    /// Let bks inspect look at the match (toolkit/inspector.h), by UDP at "PORT" of the loopback
    /// address, or at "ADDR:PORT" or "[ADDR6]:PORT", which others in the network may reach; port 0:
    /// any free one. Anyone who reaches the port sees the state of the match. NULL (default): bks
    /// inspect is not served.
    const char *inspect;
    /// True: bks inspect may change the tuning, with the token of bks_match_inspect_token(), which
    /// crosses the network unencrypted. Default false: bks inspect changes nothing.
    bool inspect_changes;

    /// Change the program's emulated link when bks inspect asks for it, as
    /// bks_inspected.change_link does. Set both this and `link`, or neither. Called within
    /// bks_match_update(). NULL (default): the program has no emulated link.
    bool (*change_link)(void *context, const char *link);
    const char *(*link)(void *context); ///< get the emulated link as it is now
    void *context;                      ///< passed to change_link and link
} bks_insight;

/// Get the figures of the match, as of the newest bks_match_update().
/// @return the figures, valid until the next bks_match_update(); NULL for NULL and without
///         `insight`
BKS_API const struct bks_figures *bks_match_figures(const bks_match *match);

/// Get the address where bks inspect finds the match, "127.0.0.1:4711". Valid until
/// bks_match_close().
/// @return the text; "" for NULL and without `inspect`
BKS_API const char *bks_match_inspect_address(const bks_match *match);

/// Get the token that lets bks inspect change the match, 32 hexadecimal digits, for the program to
/// print. Valid until bks_match_close().
/// @return the text; "" for NULL, and without `inspect` or `inspect_changes`
BKS_API const char *bks_match_inspect_token(const bks_match *match);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_MATCH_H
