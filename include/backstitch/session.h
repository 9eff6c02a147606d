// SPDX-License-Identifier: MIT

/// @file session.h
/// One match on one peer, for a program that owns its loop and its state: an engine, or a language
/// that cannot be called back. A session predicts, rolls back and confirms, but never calls a game:
/// it hands out one operation at a time, which the caller carries out.
///
///     bks_session_receive(session, now, &from, packet, count);     // for each packet that came
///     bks_session_update(session, now);
///     bks_op op;
///     while (bks_session_next(session, &op)) {
///         bks_op_result result = carry_out(&op);
///         bks_session_done(session, &op, &result);
///     }
///     while ((count = bks_session_send(session, &to, packet, sizeof(packet))) > 0) …
///
/// No clock, no socket, no thread, no allocation after bks_session_create(): `now` is any clock
/// that counts nanoseconds and never goes back.
///
/// Thread rule: a session belongs to one thread at a time. Two sessions may run on two threads.

#ifndef BACKSTITCH_SESSION_H
#define BACKSTITCH_SESSION_H

#include "backstitch/det.h"
#include "backstitch/game.h"
#include "backstitch/match.h"
#include "backstitch/net.h"
#include "backstitch/state.h"

#ifdef __cplusplus
extern "C" {
#endif

// The operations by which a session rolls a game back and advances it. bks_session_next() hands
// them out one at a time, and the program that owns the game carries them out.
//
// Thread rule: plain values, copied.

/// Most ranges whose hashes are compared when peers start from different states.
#define BKS_START_RANGES_MAX 120

/// Most snapshot slots a session asks for.
#define BKS_SLOTS_MAX (BKS_WINDOW_MAX + 2)

/// Most slots for kept states that a session asks for.
#define BKS_KEPT_SLOTS_MAX (BKS_KEEP_TICKS_MAX + 3)

/// Value of bks_op.keep for a state that is not to be kept.
#define BKS_KEEP_NONE 0xFFFFFFFFu

/// Operations that the program which owns the game must carry out.
typedef enum bks_op_kind {
    BKS_OP_START = 0,   ///< make the state of the match's first tick, `tick`, from `seed`,
                        ///< `players` and `setup`; may allocate
    BKS_OP_SAMPLE = 1,  ///< give the input of local `player` for `tick`
    BKS_OP_SAVE = 2,    ///< copy the state into snapshot slot `slot`
    BKS_OP_LOAD = 3,    ///< restore the state from snapshot slot `slot`
    BKS_OP_STEP = 4,    ///< step `tick` with `inputs`
    BKS_OP_HASH = 5,    ///< give the hash of the present state, and unless `keep` is BKS_KEEP_NONE
                        ///< keep a copy of it in slot `keep` of those for kept states
    BKS_OP_PREDICT = 6, ///< only with custom_prediction, before a STEP: guess the input of
                        ///< `player` for `tick`. The state is at the start of `tick`; the newest
                        ///< known input of the player is that of `last_tick`
    BKS_OP_RANGES = 7, ///< the peers' states of the first tick differ: give the hash of each of the
                       ///< first BKS_START_RANGES_MAX `ranges` of the config, or if it has none of
                       ///< as many pieces of the state. Any pieces and any hash function will do,
                       ///< the same on all peers; docs/spec/wire.md has those of bks_peer.
                       ///< With hash_count 0 no player reads where the states differ
    BKS_OP_PARTS = 8,  ///< our state and that of a peer differ: give the hashes of parts of the
                       ///< state in slot `keep` of those for kept states. Parts have 64 << `shift`
                       ///< bytes; for each of `count` runs give those of 64 parts from
                       ///< `firsts` on, 0 after the end. Any hash function will do, the same on
                       ///< all peers. With count 0 only state_bytes is wanted
    BKS_OP_READ = 9,   ///< our state and that of a peer differ: give the 64 bytes of each block of
                       ///< 64 that `firsts` names, zeros after the end of the state
    BKS_OP_NAME = 10,  ///< say what the state in slot `keep` and that of peer `player` differ in,
                       ///< which is as ours, but for `bytes` in the blocks that `firsts` names and
                       ///< for its end. Without a name players read where the bytes lie
    BKS_OP_WRITE = 11, ///< only with BKS_ON_DESYNC_RESYNC: change the state in slot `keep` to
                       ///< `state_bytes` bytes, new ones zero, and the blocks that `firsts` names
                       ///< to `bytes`. No other slot changes. With count 0 only its size changes
    BKS_OP_RESTORE = 12, ///< only with BKS_ON_DESYNC_RESYNC: make the state in slot `keep` the
                         ///< present one, as LOAD does. Parts of it came from another peer, so it
                         ///< may be no state at all
    BKS_OP_CHECK = 13,   ///< only with BKS_ON_DESYNC_RESYNC: say whether the state in slot `keep`,
                         ///< which is our own, is one that the game would take from a peer
} bks_op_kind;

/// Parts or blocks of a kept state that an operation looks at.
typedef struct bks_look {
    uint32_t shift;         ///< PARTS: 0, 6, 12, 18 or 24
    uint32_t count;         ///< length of `firsts`. PARTS: runs, 0..4; READ, NAME: blocks, 1..12;
                            ///< WRITE: blocks, 0..12
    const uint32_t *firsts; ///< rising. PARTS: the first part of each run, a multiple of 64; READ,
                            ///< NAME, WRITE: blocks
    const uint8_t *bytes;   ///< NAME, WRITE: count * 64 bytes of the peer's state, zeros after its
                            ///< end
    uint64_t state_bytes;   ///< NAME, WRITE: size of the peer's state, at least 1; may be anything
    uint64_t hash;          ///< RESTORE: the state must have this one
} bks_look;

/// One operation. Pointers are valid until bks_session_done().
typedef struct bks_op {
    bks_op_kind kind;      ///< operation to carry out
    bks_tick tick;         ///< SAMPLE, STEP, PREDICT: the tick of the inputs; others: the tick at
                           ///< whose start the state is
    uint32_t player;       ///< SAMPLE, PREDICT: the seat, 0..players-1; NAME: the peer
    uint32_t slot;         ///< SAVE, LOAD: 0..bks_session_slots()-1
    uint32_t keep;         ///< HASH: 0..bks_session_kept_slots()-1; BKS_KEEP_NONE. PARTS and all
                           ///< that follow: likewise, a slot that the last HASH of `tick` filled
    const int32_t *inputs; ///< STEP: players * field_count values; PREDICT: field_count values, the
                           ///< player's input of `last_tick`, or neutral if that is -1
    const int32_t *guess;  ///< PREDICT: field_count values, the guess of the fields' predictors
    bks_tick last_tick;    ///< PREDICT: newest tick before `tick` whose input is known, -1: none
    uint64_t seed;         ///< START: the host's seed
    uint32_t players;      ///< START: seats of the match
    const void *setup;     ///< START: the host's setup bytes
    size_t setup_bytes;    ///< START: size of setup
    const bks_look *look;  ///< PARTS and all that follow: what is to be looked at, or written
} bks_op;

/// The result of an operation. Start from {0}.
typedef struct bks_op_result {
    const int32_t *input; ///< SAMPLE, PREDICT: field_count values, which the session clamps to
                          ///< their ranges; NULL stands for neutral (SAMPLE) or `guess` (PREDICT)
    uint64_t hash;        ///< HASH: states with equal hashes count as equal
    bool is_kept;         ///< HASH: the state is in slot `keep`; false: it was not kept, or there
                          ///< is no room for it, which counts in bks_stats.kept_lost
    uint64_t cost_ns;     ///< time that the operation took; 0: not measured. BKS_SAVE_AUTO and the
                          ///< budget use it; peers need not agree on it
    uint32_t slots; ///< START: with BKS_SAVE_AUTO, how many snapshot slots there is memory for,
                    ///< 2 or more; 0: for all of bks_session_slots()
    const char *problem; ///< NULL: the operation succeeded. Otherwise one sentence that says why it
                         ///< failed, copied; the match ends for this peer with BKS_ERR_GAME. A
                         ///< failure of STEP, SAVE, HASH or PREDICT counts once the state it
                         ///< happened on is certain, and is forgotten if that state came from a
                         ///< wrong guess; until then only LOAD and SAMPLE follow. A failure of any
                         ///< other operation counts at once. Before the match starts the host, or
                         ///< the guest, reads the sentence too
    const uint64_t *hashes; ///< RANGES: `hash_count` hashes, read before bks_session_done() returns
    uint32_t hash_count;    ///< RANGES: 0..BKS_START_RANGES_MAX
    uint64_t state_bytes;   ///< PARTS, READ: size of the state; 0: it cannot be looked at. WRITE:
                            ///< likewise, 0: it could not be written. RESTORE: likewise; 0: what is
                            ///< in the slot has not that hash, and the state is as it was. CHECK:
                            ///< likewise; 0: the game would not take it
    const uint32_t *parts;  ///< PARTS: look->count * 64 hashes, read before bks_session_done()
                            ///< returns, as all that follow
    const uint8_t *bytes;   ///< READ: look->count * 64 bytes
    bool is_same;           ///< NAME: nothing differs: the peer's bytes are ours
    const char *object;     ///< NAME: of what differs, such as "shots[3]"; NULL: there is no name
    const char *field;      ///< NAME: of what differs in it, such as "x"; NULL: likewise
    const char *own_value;  ///< NAME: what our state holds there, as text; may be NULL
    const char *peer_value; ///< NAME: what the peer's does; may be NULL
    uint64_t offset_bytes;  ///< NAME: of its first byte from the state's start
} bks_op_result;

/// Configuration of a session, copied by bks_session_create(). Start from
/// bks_session_config_default().
typedef struct bks_session_config {
    const char *game_name;   ///< required, 1..31 bytes of printable ASCII; a peer with another name
                             ///< is refused
    uint32_t game_version;   ///< a peer with another version is refused
    const bks_field *fields; ///< required, the input layout; must outlive the session
    uint32_t field_count;    ///< required, 1..BKS_FIELDS_MAX
    uint32_t tick_rate_hz;   ///< 1..1000, default 60; a peer with another rate is refused
    uint32_t arithmetic; ///< faults of the game's compiled arithmetic, bits of bks_arithmetic, set
                         ///< by bks_session_config_default(); a peer with other faults is refused
    uint64_t build; ///< identifies the build of the game, such as the hash of a name; 0 (default):
                    ///< not known. Peers with different builds play, and both sides get
                    ///< BKS_EVENT_OTHER_BUILD
    const bks_state_range *ranges; ///< names of parts of the state, for the message that says where
                                   ///< two states of the first tick differ; NULL (default): the
                                   ///< message has numbers; must outlive the session
    uint32_t range_count;          ///< length of ranges, 0..BKS_STATE_RANGES_MAX
    /// Names what lies in the parts that differ, for the same message, in place of `ranges`; NULL
    /// (default): nothing does. Called at most once, within bks_session_update() or
    /// bks_session_receive(), while the state is that of the first tick; not before START was
    /// carried out. `differ` has a bit for each of `part_count` parts, the lowest bit of the first
    /// byte first. `out` takes `capacity` bytes, the zero included, at least 2. Returns the length
    /// of what it wrote, such as "in root.level"; 0: `ranges` are named.
    size_t (*name_parts)(void *context, const uint8_t *differ, uint32_t part_count, char *out,
                         size_t capacity);
    void *name_parts_context; ///< handed to name_parts

    uint8_t key[BKS_KEY_BYTES]; ///< required, not all zero: the match's secret, the same on all
                                ///< peers; a peer without it gets no reply
    uint8_t identity[BKS_KEY_BYTES]; ///< required, not all zero: this peer's own secret, random; it
                                     ///< may be the same in every match
    uint8_t entropy[BKS_KEY_BYTES];  ///< required, not all zero: new random bytes of the system for
                                     ///< every session; using them twice exposes the traffic
    uint64_t nonce; ///< distinguishes this peer from others and from its own earlier sessions: any
                    ///< value that none of them uses
    bool is_host;   ///< true: others join this peer; false: it joins `host`
    bks_address host;       ///< guest: the host's address
    uint32_t local_players; ///< seats on this peer, 1..BKS_PLAYERS_MAX, default 1
    uint32_t first_player;  ///< the first seat wanted, 0..BKS_PLAYERS_MAX-local_players; BKS_AUTO
                            ///< (default): the next free one. The host's is 0
    uint32_t players;       ///< host: seats of the match, local_players..BKS_PLAYERS_MAX, default 2
    uint64_t seed;          ///< host: handed to all peers by BKS_OP_START
    const void *setup; ///< host: bytes handed to all peers by BKS_OP_START, such as options; copied
    size_t setup_bytes;  ///< 0..BKS_SETUP_BYTES_MAX
    uint64_t setup_form; ///< identifies the meaning of the setup's bytes, such as a hash of the
                         ///< options' names; a peer with another form is refused; default 0
    bks_tick first_tick; ///< host: the match begins at the start of this tick,
                         ///< 0..BKS_FIRST_TICK_MAX; default 0
    bks_tick ticks;      ///< host: length of the match, 0..2147483647 less first_tick; 0
                         ///< (default): it does not end

    bool custom_prediction; ///< true: BKS_OP_PREDICT asks the caller for guesses; default false
    const void *votes;      ///< a table that `bks bench predict --learn` wrote, for fields with
                            ///< BKS_PREDICT_VOTE; NULL (default): none. Need not outlive the call
    size_t votes_bytes;     ///< size of votes

    bks_tuning tuning;       ///< default bks_tuning_default()
    bks_allocator allocator; ///< default malloc and free
    uint32_t cookie;         ///< set by bks_session_config_default(), do not edit
} bks_session_config;

/// Get a config with the default in every field that has one; required fields are 0 or NULL. This
/// symbol is exported for the bindings of other languages; it leaves `arithmetic` 0. In C and C++
/// the macro below replaces it.
BKS_API bks_session_config bks_session_config_default(void);

/// Get a config with the same defaults, compiled into the caller and not exported, with
/// `arithmetic` set to the faults of the caller's floating-point arithmetic.
BKS_OWN_UNIT bks_session_config bks_session_config_here(void)
{
    bks_session_config config = bks_session_config_default();
    config.arithmetic = bks_arithmetic_here();
    return config;
}
#define bks_session_config_default() bks_session_config_here()

/// One match on one peer. Opaque.
typedef struct bks_session bks_session;

/// Create a session. It allocates all of its memory here.
/// @param config  copied; need not outlive the call, but its `fields` and `ranges` must outlive
///                the session
/// @param out     receives the session, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY;
///         BKS_ERR_DAMAGED, BKS_ERR_UNSUPPORTED (config->votes)
/// Owned by the caller; release with bks_session_destroy().
BKS_API BKS_NODISCARD bks_status bks_session_create(const bks_session_config *config,
                                                    bks_session **out, bks_error *error);

/// Destroy a session without a goodbye (bks_session_leave()). NULL is allowed.
BKS_API void bks_session_destroy(bks_session *session);

/// The phases of a match.
typedef enum bks_phase {
    BKS_PHASE_GATHERING = 0, ///< looking for the host, or waiting for other peers
    BKS_PHASE_RUNNING = 1,   ///< started
    BKS_PHASE_ENDED = 2,     ///< every tick is confirmed on all peers, or we left
    BKS_PHASE_FAILED = 3,    ///< refused, dropped by the others, or the game failed; an event says
                             ///< which
} bks_phase;

/// Get the phase of the match.
/// @return the phase; BKS_PHASE_FAILED for NULL
BKS_API bks_phase bks_session_phase(const bks_session *session);

/// Get the status of the match, as bks_peer_update() and bks_match_update() return it.
/// @return BKS_OK while it gathers or runs; BKS_OVER once it has ended; BKS_ERR_DESYNC instead
///         when our states differed from a peer's at some tick, BKS_EVENT_DESYNC says which, or the
///         match stopped for a difference of others;
///         BKS_ERR_REFUSED, BKS_ERR_PEER_LOST, BKS_ERR_GAME when it failed; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_status(const bks_session *session);

/// Receive one packet. Packets that do not belong to this match are counted and dropped.
/// @param now_ns  never less than in an earlier call
/// @param from    the sender, not NULL
/// @param bytes   not NULL when count is above 0
/// @return BKS_OK (dropped packets too); BKS_ERR_BAD_ARGUMENT (also before the operations of the
///         last update are carried out)
BKS_API bks_status bks_session_receive(bks_session *session, uint64_t now_ns,
                                       const bks_address *from, const void *bytes, size_t count);

/// Begin an update. Then carry out operations until bks_session_next() returns
/// false, and send packets until bks_session_send() returns 0. Call it at the time that
/// bks_session_wake() returns and after packets arrived; more often does no harm.
/// @param now_ns  never less than in an earlier call
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT (NULL, time going back, or operations of the last
///         update left)
BKS_API BKS_NODISCARD bks_status bks_session_update(bks_session *session, uint64_t now_ns);

/// Get the time at which the next bks_session_update() has something to do.
/// @return a time on the caller's clock; UINT64_MAX when there is nothing to wait for
BKS_API uint64_t bks_session_wake(const bks_session *session);

/// Get the next operation of this update.
/// @param op  receives it, not NULL
/// @return true when there is one; false when the update is complete or an argument is NULL
BKS_API bool bks_session_next(bks_session *session, bks_op *op);

/// Report that an operation has been carried out.
/// @param op      as handed out
/// @param result  not NULL for HASH; for other operations NULL stands for {0}
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when this is not the operation handed out last
BKS_API BKS_NODISCARD bks_status bks_session_done(bks_session *session, const bks_op *op,
                                                  const bks_op_result *result);

/// Get the next packet to send.
/// @param to        receives the address, not NULL
/// @param bytes     receives the packet
/// @param capacity  at least BKS_PACKET_BYTES_MAX
/// @return its size; 0 when there is no more to send or an argument is out of range
BKS_API size_t bks_session_send(bks_session *session, bks_address *to, void *bytes,
                                size_t capacity);

/// Write bytes to a peer's stream: they travel beside the match, whole and in order, as far as the
/// link has room beside the inputs. Both peers need tuning.bulk_bytes. A stream lives from the
/// match's start to its end.
/// @param peer       number in the roster, not our own
/// @param bytes      not NULL when count is above 0
/// @param count      bytes there
/// @param out_count  receives how many of them were taken, not NULL: fewer when the buffer is full,
///                   0 before the start; write the rest later
/// @return BKS_OK; BKS_ERR_PEER_LOST when the peer has left the match, BKS_OVER when the match has
///         ended: nothing more is sent, and what did not arrive is lost; BKS_ERR_UNSUPPORTED when
///         tuning.bulk_bytes is 0; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_bulk_write(bks_session *session, uint32_t peer,
                                                        const void *bytes, size_t count,
                                                        size_t *out_count);

/// Read bytes from a peer's stream. Bytes that are not read fill the buffer and stop the sender.
/// @param peer       number in the roster, not our own
/// @param bytes      receives them, not NULL when capacity is above 0
/// @param capacity   bytes there
/// @param out_count  receives how many there were, not NULL
/// @return BKS_OK, with 0 bytes when none are there now; once all are read, BKS_ERR_PEER_LOST or
///         BKS_OVER as for bks_session_bulk_write(); BKS_ERR_UNSUPPORTED, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_bulk_read(bks_session *session, uint32_t peer,
                                                       void *bytes, size_t capacity,
                                                       size_t *out_count);

/// Count bytes written to the stream to a peer that are not known to have arrived in its buffer.
/// @return 0 also without streams, for a number that is no other peer, and for NULL
BKS_API uint64_t bks_session_bulk_pending(const bks_session *session, uint32_t peer);

/// Remove a peer from the match, such as one for which all wait (bks_link_stats). Only the host
/// may. The members agree to play on with neutral inputs for its players, as without any leaver
/// (BKS_EVENT_LEFT). It hears that it was dropped (BKS_EVENT_DROPPED). The peers wait a
/// round trip for this, no longer.
/// @param peer  number in the roster, not our own
/// @return BKS_OK: it will leave, also when it was said before; BKS_ERR_PEER_LOST when it has left;
///         BKS_ERR_BAD_ARGUMENT, also when the match does not run or we are not its host
///         (bks_roster.host)
BKS_API BKS_NODISCARD bks_status bks_session_drop(bks_session *session, uint32_t peer);

/// Get the present tuning, after any bks_session_retune().
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_tuning(const bks_session *session, bks_tuning *out);

/// Get the longest window that bks_session_retune() takes: the config's.
/// @return ticks, 0 in lockstep and for NULL
BKS_API uint32_t bks_session_window_max(const bks_session *session);

/// Change window, delay and pace of this peer, also while the match runs. The other peers need not
/// know; states stay the same, tick for tick. A window may be as long as the config's at
/// most, since memory is for that.
/// @param window_ticks  1..tuning.window_ticks of the config; 0 in lockstep
/// @param delay_ticks   0..BKS_DELAY_MAX, taken up a tick at a time; BKS_AUTO
/// @param pace          a bks_pace
/// @param error         may be NULL
/// @return BKS_OK; BKS_ERR_BAD_CONFIG (nothing is changed), BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_retune(bks_session *session, uint32_t window_ticks,
                                                    uint32_t delay_ticks, bks_pace pace,
                                                    bks_error *error);

/// Leave the match; then send the packets that bks_session_send() returns, which say goodbye. The
/// other peers play on with neutral inputs for our players.
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_leave(bks_session *session);

/// Take the oldest event. At most 64 wait; beyond that the oldest are dropped.
/// @param event  receives it, not NULL
/// @return true when there was one
BKS_API bool bks_session_event(bks_session *session, bks_event *event);

/// Get the number of snapshot slots that this session uses.
/// @return 0 (lockstep) .. BKS_SLOTS_MAX; 0 for NULL
BKS_API uint32_t bks_session_slots(const bks_session *session);

/// Get the number of slots for kept states that this session uses: see BKS_OP_HASH.
/// @return 0 .. BKS_KEPT_SLOTS_MAX; 0 for NULL
BKS_API uint32_t bks_session_kept_slots(const bks_session *session);

/// Get the present tick: all ticks before it are stepped, and the state is at its start.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_session_tick(const bks_session *session);

/// Get the first tick that is not confirmed: every player's input is known for all ticks before it.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_session_confirmed(const bks_session *session);

/// Get the newest tick whose state hash is final and published.
/// @return the tick, BKS_TICK_NONE when there is none
BKS_API bks_tick bks_session_published(const bks_session *session);

/// Get the final hash of the state at the start of a tick.
/// @param tick      from the match's first tick to bks_session_published(); that first tick, the
///                  last one or a multiple of hash_every_ticks; the newest 2 (window + delay + 64)
///                  ticks are kept at least
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED, BKS_ERR_TICK_TOO_OLD
BKS_API BKS_NODISCARD bks_status bks_session_hash(const bks_session *session, bks_tick tick,
                                                  uint64_t *out_hash);

/// Get the inputs of a tick, confirmed or as the fields' predictors guess now.
/// @param tick    as for bks_session_hash(), up to BKS_WINDOW_MAX ticks beyond bks_session_tick()
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TICK_TOO_OLD
BKS_API BKS_NODISCARD bks_status bks_session_inputs(const bks_session *session, bks_tick tick,
                                                    int32_t *values);

/// Difference between our state and that of a peer.
typedef struct bks_difference {
    uint32_t peer;         ///< the peer
    bks_tick tick;         ///< tick whose states were looked at: the first that differs, or the
                           ///< earliest after it that both still have
    uint32_t alone;        ///< the peer (maybe our own number) whose state is not that of all
                           ///< others; BKS_PEERS_MAX with two peers, or if it is not known
    bool is_named;         ///< false: it could not be looked up, and `text` says why
    uint64_t offset_bytes; ///< offset of the first byte that differs, or of its value or block
    char object[112];      ///< object that differs, as in bks_map_place
    char field[160];       ///< field that differs, as in bks_map_place
    char own_value[192];   ///< value in our state, as text; may be empty
    char peer_value[192];  ///< value in the peer's state; may be empty
    char text[288];        ///< object and field in one, such as "shots[3].x"
} bks_difference;

/// Get the newest difference that was looked up (BKS_EVENT_NAMED).
/// @param out  receives it, not NULL; untouched on failure
/// @return BKS_OK; BKS_ERR_NOT_CONFIRMED when there is none; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_difference(const bks_session *session,
                                                        bks_difference *out);

/// A repair: one span of ticks in which the state of a peer was not that of the others
/// (BKS_ON_DESYNC_RESYNC).
typedef struct bks_repair {
    bks_tick tick;  ///< tick from which on the states are the same again
    bks_tick since; ///< the first tick whose state differed, as far as is known, up to `tick`:
                    ///< then it was put right before it was final anywhere
    uint32_t peer;  ///< peer whose state was repaired, maybe our own number
    uint32_t from;  ///< peer whose bytes were taken; `peer` itself where `bytes` is 0
    uint64_t bytes; ///< number of bytes written; 0: the state had healed by itself
} bks_repair;

/// Most repairs that are remembered.
#define BKS_REPAIRS_MAX 16

/// Get the newest repairs, the oldest of them first. Each is there when BKS_EVENT_REPAIRED is.
/// @param out       receives them; may be NULL when capacity is 0
/// @param capacity  length of `out`; BKS_REPAIRS_MAX is always enough
/// @return how many were written to `out`; 0 for NULL
BKS_API uint32_t bks_session_repairs(const bks_session *session, bks_repair *out,
                                     uint32_t capacity);

/// Seats of the match and the peers that hold them, known once the match has gathered.
typedef struct bks_roster {
    uint32_t players; ///< seats
    uint32_t peers;   ///< one past the highest number of a peer, 0 while gathering
    uint32_t self;    ///< our own number; 0 is the host, a guest gets the lowest that is free
    uint32_t first_player[BKS_PEERS_MAX]; ///< first seat by peer
    uint32_t player_count[BKS_PEERS_MAX]; ///< seats by peer; 0: there is no peer of this number
    bool is_in[BKS_PEERS_MAX];            ///< by peer: it has not left
    bks_tick end[BKS_PEERS_MAX]; ///< by peer: the first tick without it; BKS_TICK_NONE while
                                 ///< it is in
    uint32_t host;               ///< the peer that decides about membership now
    uint32_t view;       ///< rises by one whenever peers leave; the same on all peers that are in
    uint64_t seed;       ///< seed of the match
    bks_tick first_tick; ///< the match begins at its start
    bks_tick ticks;      ///< length of the match, 0: no end
    bks_on_desync on_desync; ///< policy of the match once states differ
} bks_roster;

/// Get the seats and peers of the match.
/// @param out  receives it, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_roster(const bks_session *session, bks_roster *out);

/// The link to one peer.
typedef struct bks_link_stats {
    bool has_peer;             ///< there is a peer of this number, and it is not ourselves
    double round_trip_ms;      ///< smoothed
    double round_trip_ms_mean; ///< mean of all round trips since the first tick; 0 before
    double jitter_ms;          ///< mean deviation of the round trip
    double loss;               ///< share of the peer's packets that never came, 0..1
    uint64_t packets_due;      ///< number of its packets that must have come by their numbers, on
                               ///< which `loss` is based. Begins again at 0 when the peer comes
                               ///< back with new ones, such as after a crash
    uint64_t packets_came;     ///< packets that came, late ones too
    double local_lag_mean;     ///< ticks of its input unknown to us, at our sends
    double remote_lag_mean;    ///< ticks of our input unknown to it, at its sends
    int32_t local_lag;         ///< local lag at our newest send
    int32_t remote_lag;        ///< remote lag at its newest send that came
    uint64_t packets_sent;     ///< packets sent since the first tick
    uint64_t packets_received; ///< packets received since the first tick
    uint64_t bytes_sent;       ///< UDP payload of all sealed packets to it, before the match too
    uint64_t bytes_received;   ///< bytes of its packets that came
    double packets_per_s;      ///< most that go to it now, 10..120: fewer where its line is narrow;
                               ///< 0 before the first tick
    uint64_t
        waited_ticks; ///< due ticks that we did not step while its inputs were missing; several
                      ///< peers may be missed at once, so the sum may exceed starved_ticks
    double waited_ms; ///< time that we stood still for them, all together
    double capacity_bits_per_s; ///< capacity of the line to it, with all headers; 0 until packets
                                ///< waited in it
} bks_link_stats;

/// Statistics of this peer. Counts begin at the first tick.
typedef struct bks_stats {
    uint64_t rollbacks;          ///< times a wrong guess was found
    uint64_t rollback_depth_sum; ///< ticks from the wrong one to the present, summed
    uint32_t rollback_depth_max; ///< the deepest, in ticks
    uint64_t resimulated;        ///< ticks stepped again
    uint64_t early_ends;         ///< resimulations that ended early, the state being as before
    uint64_t early_end_ticks;    ///< ticks that were not stepped again thanks to them
    uint32_t save_spacing;       ///< ticks from one snapshot to the next now; 0 in lockstep
    double worst_update_ms;      ///< time that the longest update would take now; 0: not known
    uint32_t budget_delay_ticks; ///< input delay that our budget demands; 0: none
    double tick_stretch;         ///< ticks are this share longer now, because a machine is slow
    uint64_t slowed_ticks;       ///< ticks lost by that so far
    uint64_t stalled_ticks;      ///< due ticks skipped so that other peers catch up
    uint64_t starved_ticks;      ///< due ticks not stepped for want of input
    uint32_t input_delay;        ///< ticks, now
    double input_delay_mean;     ///< ticks
    uint32_t input_delay_max;    ///< ticks
    uint64_t hitches;            ///< times that we stood still for want of input, after the first
                                 ///< step
    double hitch_ms_max;         ///< the longest one that has ended
    double tick_interval_ms_p50; ///< time from a step of a new tick to the next: half are shorter,
    double tick_interval_ms_p99; ///< 99 of 100 are shorter,
    double tick_interval_ms_max; ///< the longest
    uint64_t stall_gaps;         ///< gaps between two stalls
    uint32_t stall_gap_least;    ///< ticks in the shortest one; 0: none
    double stall_gap_mean;       ///< ticks in them
    double lag_mean;             ///< mean of local_lag over all peers and packets
    double advantage_abs_mean; ///< advantage, half of local minus remote lag: its mean amount over
                               ///< spans
    double advantage_abs_max;  ///< the largest amount of a span
    uint64_t kept_lost;        ///< ticks whose state was not kept until all agreed on it, as it did
                               ///< not fit or they took too long
    uint64_t packets_sent;     ///< to all peers
    uint64_t payload_bytes_sent; ///< UDP payload
    uint64_t input_bytes_sent;   ///< inputs, a part of payload_bytes_sent
    uint64_t seal_bytes_sent;    ///< encryption and handshakes, a part of payload_bytes_sent
    uint64_t packets_received;   ///< accepted
    uint64_t packets_refused;    ///< dropped, for any reason
    uint64_t packets_forged;     ///< part of packets_refused: foreign, damaged or cut
    uint64_t packets_repeated;   ///< part of them too: received before, or too old to check
    uint64_t handshakes_limited; ///< part of them too: over 20 handshakes a second
    uint64_t address_changes;    ///< times a peer was followed to a new address
    uint64_t relayed;            ///< packets of others that we carried for them
    uint32_t views;              ///< times that peers left
    uint32_t handovers;          ///< times that we became the host
    uint64_t connect_ns;         ///< time from the first update to the first tick
    uint32_t link_count;         ///< one past the highest number of a peer
    bks_link_stats links[BKS_PEERS_MAX]; ///< links by peer; our own is zero
} bks_stats;

/// Get the statistics so far.
/// @param out  receives them, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_stats(const bks_session *session, bks_stats *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_SESSION_H
