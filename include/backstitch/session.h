// SPDX-License-Identifier: MIT

/// @file session.h
/// One match on one peer, for a program that owns its loop and its state: a game engine, or a
/// language that cannot be called back. A session predicts, rolls back and confirms, but never
/// calls a game: it hands out one operation at a time, which the caller carries out.
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
/// A session has no clock, socket or thread, and allocates nothing after bks_session_create().
/// `now` is the time in nanoseconds on any clock that never goes back.
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

/// Maximum number of ranges whose hashes are compared when peers start from different states.
#define BKS_START_RANGES_MAX 120

/// Maximum number of snapshot slots of a session.
#define BKS_SLOTS_MAX (BKS_WINDOW_MAX + 2)

/// Maximum number of slots for kept states of a session.
#define BKS_KEPT_SLOTS_MAX (BKS_KEEP_TICKS_MAX + 3)

/// Value of bks_op.keep when the state is not to be kept.
#define BKS_KEEP_NONE 0xFFFFFFFFu

/// Operations that the program which owns the game must carry out.
typedef enum bks_op_kind {
    BKS_OP_START = 0,   ///< make the state of the match's first tick, `tick`, from `seed`,
                        ///< `players` and `setup`; may allocate
    BKS_OP_SAMPLE = 1,  ///< give the input of local `player` for `tick`
    BKS_OP_SAVE = 2,    ///< copy the state into snapshot slot `slot`
    BKS_OP_LOAD = 3,    ///< restore the state from snapshot slot `slot`
    BKS_OP_STEP = 4,    ///< step `tick` with `inputs`
    BKS_OP_HASH = 5,    ///< give the hash of the present state; unless `keep` is BKS_KEEP_NONE,
                        ///< also copy the state into kept-state slot `keep`
    BKS_OP_PREDICT = 6, ///< only with custom_prediction, before a BKS_OP_STEP: guess the input of
                        ///< `player` for `tick`. The state is at the start of `tick`; the player's
                        ///< newest known input is that of `last_tick`

    /// The peers' states of the first tick differ: give the hash of each of the first
    /// BKS_START_RANGES_MAX `ranges` of the config, or, without ranges, of as many pieces of the
    /// state. Pieces and hash function are your choice, but the same on all peers;
    /// docs/spec/wire.md has those of bks_peer. With hash_count 0 the message does not say where
    /// the states differ.
    BKS_OP_RANGES = 7,
    /// Our state and that of a peer differ: give the hashes of parts of the state in kept-state
    /// slot `keep`. Parts have 64 << `shift` bytes. For each of `count` runs give the hashes of 64
    /// parts from `firsts` on, 0 for parts after the end. The hash function is your choice, but the
    /// same on all peers. With count 0 only state_bytes is wanted.
    BKS_OP_PARTS = 8,
    BKS_OP_READ = 9,   ///< our state and that of a peer differ: give the 64 bytes of each block
                       ///< that `firsts` names, zeros after the end of the state
    BKS_OP_NAME = 10,  ///< name the difference between the state in kept-state slot `keep` and that
                       ///< of peer `player`. The peer's state is ours, except for `bytes` in the
                       ///< blocks that `firsts` names, and for its end. If you give no name, the
                       ///< message for players has the offset of the bytes
    BKS_OP_WRITE = 11, ///< only with BKS_ON_DESYNC_RESYNC: resize the state in kept-state slot
                       ///< `keep` to `state_bytes` bytes, new ones zero, and write `bytes` into the
                       ///< blocks that `firsts` names. Do not change any other slot. With count 0
                       ///< only the size changes
    BKS_OP_RESTORE = 12, ///< only with BKS_ON_DESYNC_RESYNC: restore the state from kept-state slot
                         ///< `keep`, as BKS_OP_LOAD does from a snapshot. Parts of it came from
                         ///< another peer, so it may be invalid
    BKS_OP_CHECK = 13,   ///< only with BKS_ON_DESYNC_RESYNC: report if the state in kept-state slot
                         ///< `keep`, which is our own, is one that the game would accept from a
                         ///< peer
} bks_op_kind;

/// Parts or blocks of a kept state that an operation reads or writes.
typedef struct bks_look {
    uint32_t shift;         ///< BKS_OP_PARTS: binary logarithm of the part size over 64 bytes: 0,
                            ///< 6, 12, 18 or 24
    uint32_t count;         ///< length of `firsts`. BKS_OP_PARTS: number of runs, 0..4;
                            ///< BKS_OP_READ, BKS_OP_NAME: number of blocks, 1..12; BKS_OP_WRITE:
                            ///< 0..12
    const uint32_t *firsts; ///< rising numbers. BKS_OP_PARTS: the first part of each run, a
                            ///< multiple of 64; BKS_OP_READ, BKS_OP_NAME, BKS_OP_WRITE: numbers of
                            ///< blocks
    const uint8_t *bytes;   ///< BKS_OP_NAME, BKS_OP_WRITE: count * 64 bytes of the peer's state,
                            ///< zeros after its end
    uint64_t state_bytes;   ///< BKS_OP_NAME, BKS_OP_WRITE: size of the peer's state, at least 1;
                            ///< may be any number, as it came from a peer
    uint64_t hash;          ///< BKS_OP_RESTORE: hash that the state in the slot must have
} bks_look;

/// One operation. Pointers are valid until bks_session_done().
typedef struct bks_op {
    bks_op_kind kind;      ///< operation to carry out
    bks_tick tick;         ///< BKS_OP_SAMPLE, BKS_OP_STEP, BKS_OP_PREDICT: the tick of the inputs;
                           ///< others: the tick at whose start the state is
    uint32_t player;       ///< BKS_OP_SAMPLE, BKS_OP_PREDICT: the seat, 0..players-1; BKS_OP_NAME:
                           ///< number of the peer
    uint32_t slot;         ///< BKS_OP_SAVE, BKS_OP_LOAD: snapshot slot, 0..bks_session_slots()-1
    uint32_t keep;         ///< kept-state slot. BKS_OP_HASH: 0..bks_session_kept_slots()-1, or
                           ///< BKS_KEEP_NONE. BKS_OP_PARTS and the kinds after it: a slot that the
                           ///< last BKS_OP_HASH of `tick` filled
    const int32_t *inputs; ///< BKS_OP_STEP: players * field_count values; BKS_OP_PREDICT:
                           ///< field_count values, the player's input of `last_tick`, or neutral if
                           ///< last_tick is -1
    const int32_t *guess;  ///< BKS_OP_PREDICT: field_count values, the input as guessed by the
                           ///< fields' predictors
    bks_tick last_tick;    ///< BKS_OP_PREDICT: newest tick before `tick` with a known input of the
                           ///< player; -1: none
    uint64_t seed;         ///< BKS_OP_START: the host's seed
    uint32_t players;      ///< BKS_OP_START: number of seats in the match
    const void *setup;     ///< BKS_OP_START: the host's setup bytes
    size_t setup_bytes;    ///< BKS_OP_START: size of `setup` in bytes
    const bks_look *look;  ///< BKS_OP_PARTS and the kinds after it: the parts or blocks to read or
                           ///< write
} bks_op;

/// The result of an operation. Start from {0}.
typedef struct bks_op_result {
    const int32_t *input; ///< BKS_OP_SAMPLE, BKS_OP_PREDICT: field_count values, which the session
                          ///< clamps to their ranges; NULL stands for neutral (BKS_OP_SAMPLE) or
                          ///< `guess` (BKS_OP_PREDICT)
    uint64_t hash;        ///< BKS_OP_HASH: hash of the state; states with equal hashes count as
                          ///< equal
    bool is_kept;         ///< BKS_OP_HASH: true if the state is now in slot `keep`; false: it was
                          ///< not kept, or there was no room for it, which counts in
                          ///< bks_stats.kept_lost
    uint64_t cost_ns;     ///< time that the operation took in ns; 0: not measured. BKS_SAVE_AUTO
                          ///< and the budget use it; peers need not agree on it
    uint32_t slots; ///< BKS_OP_START, with BKS_SAVE_AUTO: number of snapshot slots that you have
                    ///< memory for, 2 or more; 0: all of bks_session_slots()

    /// NULL: the operation succeeded. Otherwise one sentence that says why it failed, copied; the
    /// match ends for this peer with BKS_ERR_GAME. A failure of BKS_OP_STEP, BKS_OP_SAVE,
    /// BKS_OP_HASH or BKS_OP_PREDICT counts when the state that it happened on turns out to be
    /// final, and is forgotten when that state came from a wrong guess; until then the session
    /// hands out only BKS_OP_LOAD and BKS_OP_SAMPLE. A failure of any other operation counts at
    /// once. Before the match starts, the sentence is also sent to the host, or by the host to the
    /// guests.
    const char *problem;
    const uint64_t *hashes; ///< BKS_OP_RANGES: `hash_count` hashes, read before bks_session_done()
                            ///< returns
    uint32_t hash_count;    ///< BKS_OP_RANGES: length of `hashes`, 0..BKS_START_RANGES_MAX

    /// BKS_OP_PARTS, BKS_OP_READ, BKS_OP_WRITE, BKS_OP_RESTORE, BKS_OP_CHECK: size of the state; 0
    /// reports a failure. BKS_OP_PARTS, BKS_OP_READ: the state cannot be read. BKS_OP_WRITE: it
    /// could not be written. BKS_OP_RESTORE: the slot's state does not have the wanted hash, and
    /// the present state is unchanged. BKS_OP_CHECK: the game would not accept the state.
    uint64_t state_bytes;
    const uint32_t *parts;  ///< BKS_OP_PARTS: look->count * 64 hashes; like all pointers after this
                            ///< one, read before bks_session_done() returns
    const uint8_t *bytes;   ///< BKS_OP_READ: look->count * 64 bytes of the state
    bool is_same;           ///< BKS_OP_NAME: true if nothing differs: the peer's bytes equal ours
    const char *object;     ///< BKS_OP_NAME: object that differs, such as "shots[3]"; NULL: it has
                            ///< no name
    const char *field;      ///< BKS_OP_NAME: field of the object that differs, such as "x"; NULL:
                            ///< it has no name
    const char *own_value;  ///< BKS_OP_NAME: value of the field in our state, as text; may be NULL
    const char *peer_value; ///< BKS_OP_NAME: value of the field in the peer's state, as text; may
                            ///< be NULL
    uint64_t offset_bytes;  ///< BKS_OP_NAME: offset of the value's first byte from the state's
                            ///< start
} bks_op_result;

/// Configuration of a session, copied by bks_session_create(). Start from
/// bks_session_config_default().
typedef struct bks_session_config {
    const char *game_name;   ///< name of the game, required, 1..31 bytes of printable ASCII; a peer
                             ///< with another name is refused
    uint32_t game_version;   ///< version of the game; a peer with another version is refused
    const bks_field *fields; ///< required, the input layout; must outlive the session
    uint32_t field_count;    ///< length of `fields`, required, 1..BKS_FIELDS_MAX
    uint32_t tick_rate_hz;   ///< tick rate, 1..1000, default 60; a peer with another rate is
                             ///< refused
    uint32_t arithmetic; ///< faults of the game's compiled arithmetic, bits of bks_arithmetic, set
                         ///< by bks_session_config_default(); a peer with other faults is refused
    uint64_t build; ///< number that identifies the build of the game, such as the hash of a name; 0
                    ///< (default): not known. Peers with different builds can play, and both get
                    ///< BKS_EVENT_OTHER_BUILD
    const bks_state_range *ranges; ///< names of parts of the state, for the message that says where
                                   ///< states of the first tick differ; NULL (default): the message
                                   ///< has numbers. Must outlive the session
    uint32_t range_count;          ///< length of `ranges`, 0..BKS_STATE_RANGES_MAX

    /// Name what lies in the parts of the first tick's state that differ, for the message, in place
    /// of `ranges`; NULL (default): `ranges` are named. Called at most once, within
    /// bks_session_update() or bks_session_receive(), while the state is that of the first tick;
    /// not before BKS_OP_START was carried out. `differ` has a bit for each of `part_count` parts,
    /// the lowest bit of the first byte first. `out` takes `capacity` bytes, the zero included, at
    /// least 2. Returns the length of what it wrote, such as "in root.level"; 0: `ranges` are
    /// named.
    size_t (*name_parts)(void *context, const uint8_t *differ, uint32_t part_count, char *out,
                         size_t capacity);
    void *name_parts_context; ///< passed to name_parts

    uint8_t key[BKS_KEY_BYTES]; ///< the match's secret, required, not all zero, the same on all
                                ///< peers; a peer without it gets no reply
    uint8_t identity[BKS_KEY_BYTES]; ///< this peer's own secret, required, random and not all zero;
                                     ///< it may be the same in every match
    uint8_t entropy[BKS_KEY_BYTES];  ///< random bytes, required, not all zero: new ones from the
                                     ///< system for every session, because using them twice exposes
                                     ///< the traffic
    uint64_t nonce;   ///< number that distinguishes this peer from others and from its own earlier
                      ///< sessions: any value that none of them uses
    bool is_host;     ///< true: this peer hosts the match; false: it joins `host`
    bks_address host; ///< guest: the host's address
    uint32_t local_players; ///< number of seats on this peer, 1..BKS_PLAYERS_MAX, default 1. A peer
                            ///< that plays with others may have no more than a packet has room
                            ///< for: 3200 bits of inputs, such as 5 seats of 512 bits
    uint32_t first_player;  ///< first seat wanted, 0..BKS_PLAYERS_MAX-local_players; BKS_AUTO
                            ///< (default): the next free one. A host always gets seat 0
    uint32_t players;       ///< host: number of seats in the match, local_players..BKS_PLAYERS_MAX,
                            ///< default 2
    uint64_t seed;          ///< host: seed of the match, passed to all peers by BKS_OP_START
    const void *setup; ///< host: bytes passed to all peers by BKS_OP_START, such as options; copied
    size_t setup_bytes;  ///< size of `setup`, 0..BKS_SETUP_BYTES_MAX
    uint64_t setup_form; ///< number that identifies the meaning of the setup's bytes, such as a
                         ///< hash of the options' names; a peer with another number is refused;
                         ///< default 0
    bks_tick first_tick; ///< host: the match begins at the start of this tick,
                         ///< 0..BKS_FIRST_TICK_MAX; default 0
    bks_tick ticks;      ///< host: length of the match in ticks, 0..2147483647 less first_tick; 0
                         ///< (default): no end

    bool custom_prediction; ///< true: BKS_OP_PREDICT asks the caller for guesses; default false
    const void *votes;      ///< a table that `bks bench predict --learn` wrote, for fields with
                            ///< BKS_PREDICT_VOTE; NULL (default): none. It need not outlive the
                            ///< call
    size_t votes_bytes;     ///< size of `votes` in bytes

    bks_tuning tuning;       ///< tuning of the match, default bks_tuning_default()
    bks_allocator allocator; ///< default malloc and free
    uint32_t cookie;         ///< set by bks_session_config_default(), do not edit
} bks_session_config;

/// Get a config with the default in every field that has one; required fields are 0 or NULL. In C
/// and C++ the macro below replaces this function and also sets `arithmetic`. The exported symbol
/// is for the bindings of other languages and leaves `arithmetic` 0.
BKS_API bks_session_config bks_session_config_default(void);

/// Get a config with the same defaults as bks_session_config_default(), and with `arithmetic` set
/// to the faults of the caller's floating-point arithmetic. The function is compiled into the
/// caller, so that it can find these faults.
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
    BKS_PHASE_GATHERING = 0, ///< a guest looks for the host, or all wait for other peers
    BKS_PHASE_RUNNING = 1,   ///< the match has started
    BKS_PHASE_ENDED = 2,     ///< the match has ended: every tick is confirmed on all peers, or we
                             ///< left
    BKS_PHASE_FAILED = 3,    ///< the match failed: we were refused or dropped, or the game failed;
                             ///< an event says which
} bks_phase;

/// Get the phase of the match.
/// @return the phase; BKS_PHASE_FAILED for NULL
BKS_API bks_phase bks_session_phase(const bks_session *session);

/// Get the status of the match, as bks_peer_update() and bks_match_update() return it.
/// @return BKS_OK while the match gathers or runs; BKS_OVER once it has ended; BKS_ERR_DESYNC
///         instead when our states differed from a peer's at some tick (BKS_EVENT_DESYNC says
///         which), or when the match stopped because states of other peers differed;
///         BKS_ERR_REFUSED, BKS_ERR_PEER_LOST, BKS_ERR_GAME when the match failed;
///         BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_status(const bks_session *session);

/// Give the session a packet that came from the network. Packets that do not belong to this match
/// are counted and dropped.
/// @param now_ns  never less than in an earlier call
/// @param from    the sender, not NULL
/// @param bytes   not NULL when count is above 0
/// @return BKS_OK, also for a dropped packet; BKS_ERR_BAD_ARGUMENT, also while operations of the
///         last update are not yet carried out
BKS_API bks_status bks_session_receive(bks_session *session, uint64_t now_ns,
                                       const bks_address *from, const void *bytes, size_t count);

/// Advance the session to now_ns: prepare the operations and packets that are due. Then carry out
/// operations until bks_session_next() returns false, and send packets until bks_session_send()
/// returns 0. Call it at the time that bks_session_wake() returns and after packets arrived; more
/// often does no harm.
/// @param now_ns  never less than in an earlier call
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT: an argument is NULL, time went back, or operations of the
///         last update are not yet carried out
BKS_API BKS_NODISCARD bks_status bks_session_update(bks_session *session, uint64_t now_ns);

/// Get the time at which the next bks_session_update() has something to do.
/// @return a time on the caller's clock; UINT64_MAX when there is nothing to wait for
BKS_API uint64_t bks_session_wake(const bks_session *session);

/// Get the next operation of this update.
/// @param op  receives the operation, not NULL
/// @return true when there is one; false when the update is complete or an argument is NULL
BKS_API bool bks_session_next(bks_session *session, bks_op *op);

/// Report that an operation has been carried out.
/// @param op      the operation that bks_session_next() handed out
/// @param result  not NULL for BKS_OP_HASH; for other operations NULL stands for {0}
/// @return BKS_OK; BKS_ERR_BAD_ARGUMENT when this is not the last operation handed out
BKS_API BKS_NODISCARD bks_status bks_session_done(bks_session *session, const bks_op *op,
                                                  const bks_op_result *result);

/// Get the next packet to send.
/// @param to        receives the address, not NULL
/// @param bytes     receives the packet
/// @param capacity  at least BKS_PACKET_BYTES_MAX
/// @return the size of the packet; 0 when there is no more to send or an argument is out of range
BKS_API size_t bks_session_send(bks_session *session, bks_address *to, void *bytes,
                                size_t capacity);

/// Write bytes to a peer's stream: they travel beside the match, whole and in order, as far as the
/// link has room beside the inputs. Both peers must set tuning.bulk_bytes. A stream lives from the
/// match's start to its end.
/// @param peer       number in the roster, not our own
/// @param bytes      not NULL when count is above 0
/// @param count      number of bytes
/// @param out_count  receives how many of the bytes were accepted, not NULL: fewer when the buffer
/// is full, 0 before the start; write the rest later
/// @return BKS_OK; BKS_ERR_PEER_LOST when the peer has left the match, BKS_OVER when the match has
///         ended: nothing more is sent, and what did not arrive is lost; BKS_ERR_UNSUPPORTED when
///         tuning.bulk_bytes is 0; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_bulk_write(bks_session *session, uint32_t peer,
                                                        const void *bytes, size_t count,
                                                        size_t *out_count);

/// Read bytes from a peer's stream. Bytes that are not read fill the buffer and stop the sender.
/// @param peer       number in the roster, not our own
/// @param bytes      receives the bytes, not NULL when capacity is above 0
/// @param capacity   size of `bytes`
/// @param out_count  receives how many bytes were written to `bytes`, not NULL
/// @return BKS_OK, with 0 bytes when none have arrived; once all are read, BKS_ERR_PEER_LOST or
///         BKS_OVER as for bks_session_bulk_write(); BKS_ERR_UNSUPPORTED, BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_bulk_read(bks_session *session, uint32_t peer,
                                                       void *bytes, size_t capacity,
                                                       size_t *out_count);

/// Count bytes that were written to a peer's stream and are not known to have arrived in the peer's
/// buffer.
/// @return the number; 0 also without streams, for a number that is no other peer, and for NULL
BKS_API uint64_t bks_session_bulk_pending(const bks_session *session, uint32_t peer);

/// Remove a peer from the match, such as one that makes all others wait (bks_link_stats). Only the
/// host may do this. The members agree to play on with neutral inputs for the peer's players, as
/// after any peer leaves (BKS_EVENT_LEFT). The removed peer gets BKS_EVENT_DROPPED. The match waits
/// at most one round trip.
/// @param peer  number in the roster, not our own
/// @return BKS_OK: the peer will leave, also if an earlier call removed it; BKS_ERR_PEER_LOST when
///         it has left; BKS_ERR_BAD_ARGUMENT, also when the match does not run or we are not its
///         host (bks_roster.host)
BKS_API BKS_NODISCARD bks_status bks_session_drop(bks_session *session, uint32_t peer);

/// Get the present tuning, with all changes by bks_session_retune().
/// @param out  receives the tuning, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_tuning(const bks_session *session, bks_tuning *out);

/// Get the longest window that bks_session_retune() accepts, which is the window in the config.
/// @return ticks, 0 in lockstep and for NULL
BKS_API uint32_t bks_session_window_max(const bks_session *session);

/// Change window, delay and pace of this peer, also while the match runs. The other peers need not
/// know, and the states of all ticks stay the same. A window may be at most as long as the
/// config's, because memory was allocated for that.
/// @param window_ticks  1..tuning.window_ticks of the config; 0 in lockstep
/// @param delay_ticks   0..BKS_DELAY_MAX, approached by one tick at a time; or BKS_AUTO
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

/// Take the oldest event. At most 64 events wait; when more come, the oldest are dropped.
/// @param event  receives the event, not NULL
/// @return true when an event was taken
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

/// Get the first tick that is not confirmed. This tick is excluded: every player's input is known
/// for all ticks before it.
/// @return the tick, 0 for NULL
BKS_API bks_tick bks_session_confirmed(const bks_session *session);

/// Get the newest tick whose state hash is final and published. This tick is included.
/// @return the tick, BKS_TICK_NONE when there is none
BKS_API bks_tick bks_session_published(const bks_session *session);

/// Get the final hash of the state at the start of a tick.
/// @param tick      from the match's first tick to bks_session_published(); the first tick, the
///                  last tick or a multiple of hash_every_ticks; at least the newest 2 * (window +
///                  delay + 64) ticks are kept
/// @param out_hash  not NULL; untouched on failure
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_NOT_CONFIRMED, BKS_ERR_TICK_TOO_OLD
BKS_API BKS_NODISCARD bks_status bks_session_hash(const bks_session *session, bks_tick tick,
                                                  uint64_t *out_hash);

/// Get the inputs of a tick: the confirmed ones, or the present guesses of the fields' predictors.
/// @param tick    as for bks_session_hash(), up to BKS_WINDOW_MAX ticks beyond bks_session_tick()
/// @param values  receives players * field_count values
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_TICK_TOO_OLD
BKS_API BKS_NODISCARD bks_status bks_session_inputs(const bks_session *session, bks_tick tick,
                                                    int32_t *values);

/// Difference between our state and that of a peer.
typedef struct bks_difference {
    uint32_t peer;         ///< number of the peer
    bks_tick tick;         ///< tick at which the states were compared: the first that differs, or
                           ///< the earliest after it that both peers still have
    uint32_t alone;        ///< peer (maybe our own number) whose state differs from those of all
                           ///< others; BKS_PEERS_MAX with two peers, or if it is not known
    bool is_named;         ///< true if the difference has a name; false: `text` says why it could
                           ///< not be named
    uint64_t offset_bytes; ///< offset of the first byte that differs, or of the value or block that
                           ///< holds it
    char object[112];      ///< name of the object that differs, as in bks_map_place
    char field[160];       ///< name of the field that differs, as in bks_map_place
    char own_value[192];   ///< value in our state, as text; may be empty
    char peer_value[192];  ///< value in the peer's state; may be empty
    char text[288];        ///< object and field together, such as "shots[3].x"
} bks_difference;

/// Get the newest difference that was named (BKS_EVENT_NAMED).
/// @param out  receives the difference, not NULL; untouched on failure
/// @return BKS_OK; BKS_ERR_NOT_CONFIRMED when there is none; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_difference(const bks_session *session,
                                                        bks_difference *out);

/// A repair of a peer whose state was not that of the others for some ticks in a row
/// (BKS_ON_DESYNC_RESYNC).
typedef struct bks_repair {
    bks_tick tick;  ///< tick from which on the states are the same again
    bks_tick since; ///< first tick whose state differed, as far as is known, up to `tick`. If it
                    ///< equals `tick`, the state was repaired before it was final anywhere
    uint32_t peer;  ///< peer whose state was repaired, maybe our own number
    uint32_t from;  ///< peer whose bytes replaced the wrong ones; `peer` itself if `bytes` is 0
    uint64_t bytes; ///< number of bytes replaced; 0: the state became right by itself
} bks_repair;

/// Maximum number of repairs that a session remembers.
#define BKS_REPAIRS_MAX 16

/// Get the newest repairs, the oldest of them first. A repair can be read as soon as its
/// BKS_EVENT_REPAIRED is reported.
/// @param out       receives the repairs; may be NULL when capacity is 0
/// @param capacity  length of `out`; BKS_REPAIRS_MAX is always enough
/// @return number of repairs written to `out`; 0 for NULL
BKS_API uint32_t bks_session_repairs(const bks_session *session, bks_repair *out,
                                     uint32_t capacity);

/// Seats of the match and the peers that hold them, known once the match has gathered.
typedef struct bks_roster {
    uint32_t players; ///< number of seats
    uint32_t peers;   ///< one past the highest number of a peer, 0 while gathering
    uint32_t self;    ///< our own number; 0 is the host, a guest gets the lowest that is free
    uint32_t first_player[BKS_PEERS_MAX]; ///< first seat by peer
    uint32_t player_count[BKS_PEERS_MAX]; ///< seats by peer; 0: there is no peer of this number
    bool is_in[BKS_PEERS_MAX];            ///< by peer: it has not left
    bks_tick end[BKS_PEERS_MAX]; ///< by peer: the first tick without it; BKS_TICK_NONE while
                                 ///< it is in
    uint32_t host;               ///< the peer that decides about membership now
    uint32_t view;       ///< rises by one whenever peers leave; the same on all peers that are in
    bool is_minority;    ///< peers that fell silent are more than we, or as many with the lowest
                         ///< peer: if they play on, as after a split, theirs is the match that
                         ///< counts. False on at most one side of a split
    uint64_t seed;       ///< seed of the match
    bks_tick first_tick; ///< first tick of the match
    bks_tick ticks;      ///< length of the match in ticks, 0: no end
    bks_on_desync on_desync; ///< what the match does when states differ
} bks_roster;

/// Get the seats and peers of the match.
/// @param out  receives the roster, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_roster(const bks_session *session, bks_roster *out);

/// Statistics of the link to one peer.
typedef struct bks_link_stats {
    bool has_peer;             ///< true if this number is that of another peer
    double round_trip_ms;      ///< smoothed round trip
    double round_trip_ms_mean; ///< mean of all round trips since the first tick; 0 before
    double jitter_ms;          ///< mean deviation of the round trip
    double loss;               ///< share of the peer's packets that never came, 0..1
    uint64_t packets_due;      ///< number of the peer's packets that should have arrived, judged by
                               ///< their packet numbers; `loss` is based on it. Restarts at 0 when
                               ///< the peer's packet numbers restart, such as after a crash
    uint64_t packets_came;     ///< number of the peer's packets that arrived, late ones too
    double local_lag_mean;     ///< mean ticks of the peer's input unknown to us when we send
    double remote_lag_mean;    ///< mean ticks of our input unknown to the peer when it sends
    int32_t local_lag;         ///< local lag when we last sent
    int32_t remote_lag;        ///< remote lag when the peer sent its newest packet that arrived
    uint64_t packets_sent;     ///< packets sent to the peer since the first tick
    uint64_t packets_received; ///< packets received from the peer since the first tick
    uint64_t bytes_sent;       ///< UDP payload of all sealed packets sent to the peer, also before
                               ///< the match
    uint64_t bytes_received;   ///< bytes of the peer's packets that arrived
    double packets_per_s;      ///< most packets a second sent to the peer now, 10..120, fewer if
                               ///< its line is narrow; 0 before the first tick
    uint64_t waited_ticks; ///< due ticks that we did not step while the peer's inputs were missing;
                           ///< several peers may be missing at once, so the sum over peers may
                           ///< exceed starved_ticks
    double waited_ms;      ///< total time of waited_ticks
    double capacity_bits_per_s; ///< capacity of the line to the peer, all headers included; 0 until
                                ///< packets have queued on it
} bks_link_stats;

/// Statistics of our own peer. Counts begin at the first tick.
typedef struct bks_stats {
    uint64_t rollbacks;          ///< number of rollbacks: times that a guess was found to be wrong
    uint64_t rollback_depth_sum; ///< sum of depths of rollbacks, each from the first wrong tick to
                                 ///< the present, in ticks
    uint32_t rollback_depth_max; ///< depth of the deepest rollback, in ticks
    uint64_t resimulated;        ///< number of ticks stepped again
    uint64_t early_ends;         ///< number of resimulations that ended early because the state was
                                 ///< the same as before
    uint64_t early_end_ticks;    ///< ticks that did not have to be stepped again because
                                 ///< resimulations ended early
    uint32_t save_spacing;       ///< ticks from one snapshot to the next, at present; 0 in lockstep
    double worst_update_ms;      ///< estimated time of the longest update now, in ms; 0: not known
    uint32_t budget_delay_ticks; ///< input delay that our time budget demands, in ticks; 0: none
    double tick_stretch;         ///< share by which ticks are longer now, because a machine is slow
    uint64_t slowed_ticks;       ///< ticks lost so far because ticks were longer
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
    double advantage_abs_mean;   ///< mean over spans of the amount of the advantage (half of local
                                 ///< minus remote lag)
    double advantage_abs_max;    ///< largest amount of the advantage in a span
    uint64_t kept_lost;          ///< ticks whose state was not kept until all peers agreed on it,
                                 ///< because it did not fit or they took too long
    uint64_t packets_sent;       ///< packets sent to all peers
    uint64_t payload_bytes_sent; ///< UDP payload sent to all peers, in bytes
    uint64_t input_bytes_sent;   ///< the part of payload_bytes_sent that is inputs
    uint64_t seal_bytes_sent;    ///< the part of payload_bytes_sent that is encryption and
                                 ///< handshakes
    uint64_t packets_received;   ///< packets received and accepted
    uint64_t packets_refused;    ///< packets dropped for any reason
    uint64_t packets_forged;     ///< the part of packets_refused that was foreign, damaged or cut
    uint64_t packets_repeated;   ///< the part of packets_refused that was received before, or was
                                 ///< too old to check
    uint64_t handshakes_limited; ///< the part of packets_refused that exceeded 20 handshakes a
                                 ///< second
    uint64_t address_changes;    ///< times that a peer came from a new address and was followed
                                 ///< there
    uint64_t relayed;            ///< packets of other peers that we carried for them
    uint32_t views;              ///< times that the view changed because peers left
    uint32_t handovers;          ///< times that we became the host because the host left
    uint64_t connect_ns;         ///< time from the first update to the first tick
    uint32_t link_count;         ///< one past the highest number of a peer
    bks_link_stats links[BKS_PEERS_MAX]; ///< statistics of the links by peer; our own entry is zero
} bks_stats;

/// Get the statistics so far.
/// @param out  receives the statistics, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_stats(const bks_session *session, bks_stats *out);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_SESSION_H
