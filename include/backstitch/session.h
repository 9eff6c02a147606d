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
    /// Make the state of the match's first tick, `tick`, from `seed`, `players` and `setup`; may
    /// allocate.
    BKS_OP_START = 0,
    BKS_OP_SAMPLE = 1, ///< give the input of local `player` for `tick`
    BKS_OP_SAVE = 2,   ///< copy the state into snapshot slot `slot`
    BKS_OP_LOAD = 3,   ///< restore the state from snapshot slot `slot`
    BKS_OP_STEP = 4,   ///< step `tick` with `inputs`
    /// Give the hash of the present state; unless `keep` is BKS_KEEP_NONE, also copy the state into
    /// kept-state slot `keep`.
    BKS_OP_HASH = 5,
    /// Only with custom_prediction, before a BKS_OP_STEP: guess the input of `player` for `tick`.
    /// The state is at the start of `tick`; the player's newest known input is that of `last_tick`.
    BKS_OP_PREDICT = 6,

    /// The peers' states of the first tick differ: give the hash of each of the first
    /// BKS_START_RANGES_MAX `ranges` of the config, or, without ranges, of as many pieces of the
    /// state. Pieces and hash function are your choice, but the same on all peers;
    /// docs/spec/wire.md has those of bks_peer. With hash_count 0 the message does not say where
    /// the states differ.
    BKS_OP_RANGES = 7,
    /// Our state and that of a peer differ: give the hashes of parts of the state in kept-state
    /// slot `keep`. Parts have 64 << `shift` bytes. For each of the `count` runs give the hashes of
    /// 64 parts, the first being the part whose index is in `firsts`; give 0 for parts after the
    /// end of the state. The hash function is your choice, but the same on all peers. With count 0
    /// only state_bytes is wanted.
    BKS_OP_PARTS = 8,
    /// Our state and that of a peer differ: give the 64 bytes of each block that `firsts` names,
    /// zeros after the end of the state.
    BKS_OP_READ = 9,
    /// Name the difference between the state in kept-state slot `keep` and that of peer `player`.
    /// The peer's state equals ours, except for its size and for the blocks that `firsts` names,
    /// which have `bytes`. If you give no name, the message for players has the offset of the
    /// bytes.
    BKS_OP_NAME = 10,
    /// Only with BKS_ON_DESYNC_RESYNC: resize the state in kept-state slot `keep` to `state_bytes`
    /// bytes, fill new ones with zeros, and write `bytes` into the blocks that `firsts` names. Do
    /// not change any other slot. With count 0 only the size changes.
    BKS_OP_WRITE = 11,
    /// Only with BKS_ON_DESYNC_RESYNC: restore the state from kept-state slot `keep`, as
    /// BKS_OP_LOAD does from a snapshot. Parts of it came from another peer, so it may be invalid.
    BKS_OP_RESTORE = 12,
    /// Only with BKS_ON_DESYNC_RESYNC: report if the state in kept-state slot `keep`, which is our
    /// own, is one that the game would accept from a peer.
    BKS_OP_CHECK = 13,
} bks_op_kind;

/// Parts or blocks of a kept state that an operation reads or writes.
typedef struct bks_look {
    /// BKS_OP_PARTS: 0, 6, 12, 18 or 24, so that parts have 64 << `shift` bytes.
    uint32_t shift;
    /// Length of `firsts`. BKS_OP_PARTS: number of runs, 0..4; BKS_OP_READ, BKS_OP_NAME: number of
    /// blocks, 1..12; BKS_OP_WRITE: 0..12.
    uint32_t count;
    /// Indices in rising order; 0 is the part or block at the start of the state. BKS_OP_PARTS:
    /// index of the first part of each run, a multiple of 64; BKS_OP_READ, BKS_OP_NAME,
    /// BKS_OP_WRITE: indices of the blocks.
    const uint32_t *firsts;
    /// BKS_OP_NAME, BKS_OP_WRITE: count * 64 bytes of the peer's state, zeros after its end.
    const uint8_t *bytes;
    /// BKS_OP_NAME, BKS_OP_WRITE: size of the peer's state, at least 1; may be any number, as it
    /// came from a peer.
    uint64_t state_bytes;
    uint64_t hash; ///< BKS_OP_RESTORE: hash that the state in the slot must have
} bks_look;

/// One operation. Pointers are valid until bks_session_done().
typedef struct bks_op {
    bks_op_kind kind; ///< operation to carry out
    /// BKS_OP_SAMPLE, BKS_OP_STEP, BKS_OP_PREDICT: tick of the inputs; other operations: tick at
    /// whose start the state is.
    bks_tick tick;
    /// BKS_OP_SAMPLE, BKS_OP_PREDICT: the seat, 0..players-1; BKS_OP_NAME: number of the peer.
    uint32_t player;
    uint32_t slot; ///< BKS_OP_SAVE, BKS_OP_LOAD: snapshot slot, 0..bks_session_slots()-1
    /// Kept-state slot. BKS_OP_HASH: 0..bks_session_kept_slots()-1, or BKS_KEEP_NONE. BKS_OP_PARTS
    /// and the kinds after it: a slot that the last BKS_OP_HASH of `tick` filled.
    uint32_t keep;
    /// BKS_OP_STEP: inputs of the tick, players * field_count values; BKS_OP_PREDICT: the player's
    /// input of `last_tick`, field_count values, neutral if last_tick is -1.
    const int32_t *inputs;
    /// BKS_OP_STEP: known commands of the tick, an entry for each seat; NULL: none are known.
    const bks_commands *commands;
    /// BKS_OP_PREDICT: field_count values, the input as guessed by the fields' predictors.
    const int32_t *guess;
    /// BKS_OP_PREDICT: newest tick before `tick` with a known input of the player; -1: none.
    bks_tick last_tick;
    uint64_t seed;      ///< BKS_OP_START: the host's seed
    uint32_t players;   ///< BKS_OP_START: number of seats in the match
    const void *setup;  ///< BKS_OP_START: the host's setup bytes
    size_t setup_bytes; ///< BKS_OP_START: size of `setup` in bytes
    /// BKS_OP_PARTS and the kinds after it: the parts or blocks to read or write.
    const bks_look *look;
} bks_op;

/// The result of an operation. Start from {0}.
typedef struct bks_op_result {
    /// BKS_OP_SAMPLE, BKS_OP_PREDICT: field_count values, which the session clamps to their ranges;
    /// NULL stands for neutral (BKS_OP_SAMPLE) or `guess` (BKS_OP_PREDICT).
    const int32_t *input;
    /// BKS_OP_HASH: hash of the state; states with equal hashes count as equal.
    uint64_t hash;
    /// BKS_OP_HASH: true if the state is now in slot `keep`; false: it was not kept, or there was
    /// no room for it, which counts in bks_stats.kept_lost.
    bool is_kept;
    /// Time that the operation took in ns; 0: not measured. BKS_SAVE_AUTO and the budget use it;
    /// peers need not agree on it.
    uint64_t cost_ns;
    /// BKS_OP_START, with BKS_SAVE_AUTO: number of snapshot slots that you have memory for, 2 or
    /// more; 0: all of bks_session_slots().
    uint32_t slots;

    /// NULL: the operation succeeded. Otherwise one sentence that says why it failed, copied; the
    /// match ends for this peer with BKS_ERR_GAME. A failure of BKS_OP_STEP, BKS_OP_SAVE,
    /// BKS_OP_HASH or BKS_OP_PREDICT counts when the state that it happened on turns out to be
    /// final, and is forgotten when that state came from a wrong guess; until then the session
    /// hands out only BKS_OP_LOAD and BKS_OP_SAMPLE. A failure of any other operation counts at
    /// once. Before the match starts, the sentence is also sent to the host, or by the host to the
    /// guests.
    const char *problem;
    /// BKS_OP_RANGES: `hash_count` hashes, read before bks_session_done() returns.
    const uint64_t *hashes;
    uint32_t hash_count; ///< BKS_OP_RANGES: length of `hashes`, 0..BKS_START_RANGES_MAX

    /// BKS_OP_PARTS, BKS_OP_READ, BKS_OP_WRITE, BKS_OP_RESTORE, BKS_OP_CHECK: size of the state in
    /// bytes. 0 reports a failure. For BKS_OP_PARTS and BKS_OP_READ a failure means that the state
    /// cannot be read; for BKS_OP_WRITE that it could not be written; for BKS_OP_RESTORE that the
    /// slot's state does not have the wanted hash, and the present state is unchanged; for
    /// BKS_OP_CHECK that the game would not accept the state.
    uint64_t state_bytes;
    /// BKS_OP_PARTS: look->count * 64 hashes; like all later pointers of a result, they are read
    /// before bks_session_done() returns.
    const uint32_t *parts;
    const uint8_t *bytes; ///< BKS_OP_READ: look->count * 64 bytes of the state
    bool is_same;         ///< BKS_OP_NAME: true if nothing differs: the peer's bytes equal ours
    /// BKS_OP_NAME: object that differs, such as "shots[3]"; NULL: it has no name.
    const char *object;
    /// BKS_OP_NAME: field of the object that differs, such as "x"; NULL: it has no name.
    const char *field;
    const char *own_value; ///< BKS_OP_NAME: value of the field in our state, as text; may be NULL
    /// BKS_OP_NAME: value of the field in the peer's state, as text; may be NULL.
    const char *peer_value;
    /// BKS_OP_NAME: offset of the value's first byte from the state's start.
    uint64_t offset_bytes;
} bks_op_result;

/// Configuration of a session, copied by bks_session_create(). Start from
/// bks_session_config_default().
typedef struct bks_session_config {
    /// Name of the game, required, 1..31 bytes of printable ASCII; a peer with another name is
    /// refused.
    const char *game_name;
    uint32_t game_version;   ///< version of the game; a peer with another version is refused
    const bks_field *fields; ///< layout of an input, required; must outlive the session
    uint32_t field_count;    ///< length of `fields`, required, 1..BKS_FIELDS_MAX
    /// Tick rate in Hz, 1..1000, default 60; a peer with another rate is refused.
    uint32_t tick_rate_hz;
    /// Faults of the game's compiled arithmetic, bits of bks_arithmetic, set by
    /// bks_session_config_default(); a peer with other faults is refused.
    uint32_t arithmetic;
    /// Number that identifies the build of the game, such as the hash of a name; 0 (default): not
    /// known. Peers with different builds can play, and both get BKS_EVENT_OTHER_BUILD.
    uint64_t build;
    /// Names of parts of the state, for the message that says where states of the first tick
    /// differ; NULL (default): the message has numbers instead. Must outlive the session.
    const bks_state_range *ranges;
    uint32_t range_count; ///< length of `ranges`, 0..BKS_STATE_RANGES_MAX

    /// Name what lies in the parts of the first tick's state that differ, for the message, in place
    /// of `ranges`; NULL (default): `ranges` are named. Called at most once, within
    /// bks_session_update() or bks_session_receive(), while the state is that of the first tick;
    /// not before BKS_OP_START was carried out. `differ` has a bit for each of `part_count` parts,
    /// the lowest bit of the first byte first. `out` takes `capacity` bytes, the zero included, at
    /// least 2. Returns the length of what it wrote, such as "in root.level"; 0: `ranges` are
    /// named.
    size_t (*name_parts)(void *context, const uint8_t *differ, uint32_t part_count, char *out,
                         size_t capacity);
    void *name_parts_context; ///< first argument of name_parts

    /// The match's secret, required, not all zero, the same on all peers; a peer without it gets no
    /// reply.
    uint8_t key[BKS_KEY_BYTES];
    /// This peer's own secret, required, random and not all zero; it may be the same in every
    /// match.
    uint8_t identity[BKS_KEY_BYTES];
    /// Random bytes, required, not all zero: new ones from the system for every session, because
    /// using them twice exposes the traffic.
    uint8_t entropy[BKS_KEY_BYTES];
    /// Number that distinguishes this peer from others and from its own earlier sessions: any value
    /// that none of them uses.
    uint64_t nonce;
    bool is_host;     ///< true: this peer hosts the match; false: it joins `host`
    bks_address host; ///< guest: the host's address
    /// Number of seats on this peer, 1..BKS_PLAYERS_MAX, default 1. In a match of several
    /// peers the inputs of one peer's seats may have at most 3200 bits together, such as 5 seats of
    /// 512 bits, because a packet has no more room. In a game with commands it is 2688 bits, of
    /// which each seat takes 10 more.
    uint32_t local_players;
    /// First seat wanted, 0..BKS_PLAYERS_MAX-local_players; BKS_AUTO (default): the next free one.
    /// A host always gets seat 0.
    uint32_t first_player;
    /// Host: number of seats in the match, local_players..BKS_PLAYERS_MAX, default 2.
    uint32_t players;
    uint64_t seed;     ///< host: seed of the match, passed to all peers by BKS_OP_START
    const void *setup; ///< host: bytes passed to all peers by BKS_OP_START, such as options; copied
    size_t setup_bytes; ///< size of `setup`, 0..BKS_SETUP_BYTES_MAX
    /// Number that identifies the meaning of the setup's bytes, such as a hash of the options'
    /// names; a peer with another number is refused; default 0.
    uint64_t setup_form;
    /// Host: the match begins at the start of this tick, 0..BKS_FIRST_TICK_MAX; default 0.
    bks_tick first_tick;
    /// Host: length of the match in ticks, 0..2147483647 - first_tick; 0 (default): no end.
    bks_tick ticks;

    /// Size of the largest command in bytes, 1..BKS_COMMAND_BYTES_MAX; 0 (default): the players
    /// give no commands. A peer with another number is refused.
    uint32_t command_bytes_max;
    /// Maximum number of bytes of a player's commands in any N consecutive ticks, plus 2 for each
    /// command: command_bytes_max + 2 .. BKS_COMMAND_ROOM_MAX; 0 (default): 256 KiB. Bytes beyond
    /// that wait for a later tick. In a match of several machines N is 1024, and a peer with
    /// another room is refused. If all players are on this machine, N is max(64, 3 * T) with T =
    /// window + delay + 1, and with BKS_ON_DESYNC_RESYNC at least 384 + 2 * T; a delay of BKS_AUTO
    /// counts as BKS_DELAY_MAX.
    uint32_t command_room_bytes;

    bool custom_prediction; ///< true: BKS_OP_PREDICT asks the caller for guesses; default false
    /// A table that `bks bench predict --learn` wrote, for fields with BKS_PREDICT_VOTE; NULL
    /// (default): none. It need not outlive the call.
    const void *votes;
    size_t votes_bytes; ///< size of `votes` in bytes, 0 without votes

    bks_tuning tuning;       ///< tuning of the match, default bks_tuning_default()
    bks_allocator allocator; ///< memory hooks, default malloc and free
    uint32_t cookie;         ///< check value set by bks_session_config_default(), do not edit
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

/// Create a session, and allocate all memory that it needs.
/// @param config  copied; need not outlive the call, but its `fields` and `ranges` must outlive
///                the session
/// @param out     receives the session, NULL on failure
/// @param error   may be NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY;
///         BKS_ERR_DAMAGED (config->votes); BKS_ERR_UNSUPPORTED (config->votes)
/// Owned by the caller; release with bks_session_destroy().
BKS_API BKS_NODISCARD bks_status bks_session_create(const bks_session_config *config,
                                                    bks_session **out, bks_error *error);

/// Destroy a session without a goodbye (bks_session_leave()). NULL is allowed.
BKS_API void bks_session_destroy(bks_session *session);

/// The phases of a match.
typedef enum bks_phase {
    BKS_PHASE_GATHERING = 0, ///< a guest looks for the host, or all wait for other peers
    BKS_PHASE_RUNNING = 1,   ///< the match has started
    /// The match has ended: every tick is confirmed on all peers, or we left.
    BKS_PHASE_ENDED = 2,
    /// The match failed: we were refused or dropped, or the game failed; an event says which.
    BKS_PHASE_FAILED = 3,
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

/// Give a command of a local player: bytes that the game interprets. It becomes part of the next
/// tick that is sampled. If that tick has no room for the whole command, it becomes part of a later
/// tick. Commands keep their order. In a match of several machines about 290 bytes of commands,
/// packed, travel with the ticks of each round trip to the farthest peer. A burst of more travels
/// ahead, and becomes part of ticks once all peers have it. Allowed before the start, and while
/// operations are carried out, but never for what a step finds: every peer steps, and the command
/// of each would count.
/// @param local_player  0..local_players-1
/// @param bytes         not NULL, copied
/// @param count         1..command_bytes_max
/// @return BKS_OK; BKS_ERR_FULL when the commands that wait leave no room for this one: it was not
///         taken; BKS_OVER when the match has ended; BKS_ERR_UNSUPPORTED in a game without
///         commands; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_command(bks_session *session, uint32_t local_player,
                                                     const void *bytes, size_t count);

/// Write bytes to a peer's stream: they travel beside the match, whole and in order, as far as the
/// link has room beside the inputs. Both peers must set tuning.bulk_bytes. A stream lives from the
/// match's start to its end.
/// @param peer       number in the roster, not our own
/// @param bytes      not NULL when count is above 0
/// @param count      number of bytes
/// @param out_count  receives how many of the bytes were accepted, not NULL: fewer when the buffer
///                   is full, 0 before the start; write the rest later
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

/// Pause the match, or let it continue. In a pause no tick is due; packets are exchanged as ever,
/// and peers may leave. All peers pause at the same tick, soon after the call: on the host after
/// its input delay, the longest window of a peer and one tick, on a guest half a round trip later.
/// The states of all ticks stay the same.
///
/// The host decides. A guest asks the host, as often as bks_tuning.guest_pauses allows and for
/// BKS_GUEST_PAUSES_MS_MAX together, a second or more after its last wish that was granted, except
/// to continue; BKS_EVENT_SPEED follows, also when the host refuses. A guest can end only the pause
/// for which it asked itself, the host any. But if nothing was heard of the peer that wanted the
/// pause for bks_tuning.drop_after_ms, every member can end it; that peer is dropped then, unless
/// it is heard in time.
///
/// The peer that wanted the pause may be silent while it lasts, for BKS_PAUSE_MS_MAX at most, such
/// as a program in a debugger. All peers may be in a pause of the host. Others that fall silent are
/// dropped as ever. A pause also ends when the peer that wanted it leaves, after BKS_PAUSE_MS_MAX
/// (a guest's after its BKS_GUEST_PAUSES_MS_MAX), and when differing states stop the match.
/// @param is_paused  true: pause; false: continue
/// @return BKS_OK: it was decided, or the host was asked; also when it is so already; BKS_OVER when
///         the match has ended, or ends before it could pause; BKS_ERR_UNSUPPORTED when the host
///         alone pauses the match, or on a guest that wants to end the pause of another peer that
///         is heard; BKS_ERR_FULL when our pauses are used up; BKS_ERR_BAD_ARGUMENT, also before
///         the start. The log says why
BKS_API BKS_NODISCARD bks_status bks_session_pause(bks_session *session, bool is_paused);

/// Change the speed of the match: ticks become longer or shorter on all peers, from the same tick
/// on, about as soon as by bks_session_pause(). The states of all ticks stay the same. The host
/// decides. A guest asks the host, which grants it once a second, unless bks_tuning.guest_pauses
/// is 0.
/// @param percent  BKS_SPEED_MIN..BKS_SPEED_MAX; 100 is the config's tick rate
/// @return BKS_OK: it was decided, or the host was asked; also when it is so already; BKS_OVER when
///         the match has ended, or ends before; BKS_ERR_UNSUPPORTED when the host alone decides;
///         BKS_ERR_BAD_ARGUMENT, also before the start. The log says why
BKS_API BKS_NODISCARD bks_status bks_session_speed(bks_session *session, uint32_t percent);

/// Get the present tuning, with all changes by bks_session_retune().
/// @param out  receives the tuning, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_tuning(const bks_session *session, bks_tuning *out);

/// Change window, delay and pace of this peer, also while the match runs. The other peers need not
/// know, and the states of all ticks stay the same. A window may be at most as long as the
/// config's, because memory was allocated for that.
/// @param window_ticks  1..tuning.window_ticks of the config; 0 in lockstep
/// @param delay_ticks   0..BKS_DELAY_MAX, approached by one tick at a time; or BKS_AUTO. In a game
///                      with commands whose players are all on this machine, at most the config's
///                      delay, because the room for commands was sized for it
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
    uint32_t peer; ///< number of the peer whose state differs from ours
    /// Tick at which the states were compared: the first that differs, or the earliest after it
    /// that both peers still have.
    bks_tick tick;
    /// Number of the peer (maybe our own) whose state differs from those of all others;
    /// BKS_PEERS_MAX with two peers, or if it is not known.
    uint32_t alone;
    /// True if the difference has a name; false: `text` says why it could not be named.
    bool is_named;
    /// Offset of the first byte that differs, or of the value or block that holds it.
    uint64_t offset_bytes;
    char object[112];     ///< name of the object that differs, as in bks_map_place
    char field[160];      ///< name of the field that differs, as in bks_map_place
    char own_value[192];  ///< value in our state, as text; may be empty
    char peer_value[192]; ///< value in the peer's state, as text; may be empty
    /// Object and field together, such as "shots[3].x".
    char text[288];
} bks_difference;

/// Get the newest difference that was named (BKS_EVENT_NAMED).
/// @param out  receives the difference, not NULL; untouched on failure
/// @return BKS_OK; BKS_ERR_NOT_CONFIRMED when there is none; BKS_ERR_BAD_ARGUMENT
BKS_API BKS_NODISCARD bks_status bks_session_difference(const bks_session *session,
                                                        bks_difference *out);

/// A repair of a peer whose state differed from that of the other peers for some ticks in a row
/// (BKS_ON_DESYNC_RESYNC).
typedef struct bks_repair {
    bks_tick tick; ///< tick from which on all states are equal again
    /// First tick whose state differed, as far as is known, up to `tick`. If it equals `tick`, the
    /// state was repaired before it was final anywhere.
    bks_tick since;
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
    uint32_t first_player[BKS_PEERS_MAX]; ///< number of the first seat of each peer, by peer
    /// Number of seats of each peer, by peer; 0: no peer has this number.
    uint32_t player_count[BKS_PEERS_MAX];
    /// By peer: true if the peer is in the match and has not left.
    bool is_in[BKS_PEERS_MAX];
    /// By peer: first tick without the peer; BKS_TICK_NONE while the peer is in the match.
    bks_tick end[BKS_PEERS_MAX];
    /// Number of the present host, the peer that decides about membership.
    uint32_t host;
    /// Number of the view, which rises by one whenever peers leave; the same on all peers in the
    /// match.
    uint32_t view;
    /// True if the peers that fell silent are more than those still in our match, or are equally
    /// many and include the peer with the lowest number. If they play on, as after a split, their
    /// match counts and ours does not. At most one side of a split has false here.
    bool is_minority;
    uint64_t seed;           ///< seed of the match
    bks_tick first_tick;     ///< first tick of the match
    bks_tick ticks;          ///< length of the match in ticks, 0: no end
    bks_on_desync on_desync; ///< policy of the match when states of peers differ
    bool is_paused;          ///< true while the match is paused
    uint32_t paused_by;      ///< peer that wanted the present pause; 0 while there is none
    /// Tick that is due when the present pause ends; BKS_TICK_NONE while there is none.
    bks_tick paused_tick;
    uint32_t speed_percent; ///< speed in percent of the tick rate, BKS_SPEED_MIN..BKS_SPEED_MAX
} bks_roster;

/// Get the seats and peers of the match.
/// @param out  receives the roster, not NULL
/// @return BKS_OK, BKS_ERR_BAD_ARGUMENT
BKS_API bks_status bks_session_roster(const bks_session *session, bks_roster *out);

/// Statistics of the link to one peer.
typedef struct bks_link_stats {
    bool has_peer;             ///< true if a peer other than ourselves has this number
    double round_trip_ms;      ///< smoothed round trip, in ms
    double round_trip_ms_mean; ///< mean of all round trips since the first tick, in ms; 0 before
    double jitter_ms;          ///< mean deviation of the round trip, in ms
    double loss;               ///< share of the peer's packets that never came, 0..1
    /// Number of the peer's packets that should have arrived, judged by their packet numbers;
    /// `loss` is based on it. Restarts at 0 when the peer's packet numbers restart, such as after a
    /// crash.
    uint64_t packets_due;
    uint64_t packets_came; ///< number of the peer's packets that arrived, late ones too
    /// Mean number of ticks of the peer's input that are unknown to us when we send.
    double local_lag_mean;
    /// Mean number of ticks of our input that are unknown to the peer when it sends.
    double remote_lag_mean;
    int32_t local_lag; ///< local lag when we last sent, in ticks
    /// Remote lag when the peer sent its newest packet that arrived, in ticks.
    int32_t remote_lag;
    uint64_t packets_sent;     ///< packets sent to the peer since the first tick
    uint64_t packets_received; ///< packets received from the peer since the first tick
    /// Bytes of UDP payload of all sealed packets sent to the peer, also before the match.
    uint64_t bytes_sent;
    uint64_t bytes_received; ///< bytes of the peer's packets that arrived
    /// Most packets a second sent to the peer now, 10..120, fewer if its line is narrow; 0 before
    /// the first tick.
    double packets_per_s;
    /// Due ticks that we did not step while the peer's inputs were missing; inputs of several peers
    /// may be missing at once, so the sum over all peers may exceed starved_ticks.
    uint64_t waited_ticks;
    double waited_ms; ///< total duration of the waits that waited_ticks counts, in ms
    /// Capacity of the line to the peer in bit/s, all headers included; 0 until packets have queued
    /// on it.
    double capacity_bits_per_s;
} bks_link_stats;

/// Statistics of our own peer. Counts begin at the first tick.
typedef struct bks_stats {
    uint64_t rollbacks; ///< number of rollbacks: times that a guess was found to be wrong
    /// Sum of depths of rollbacks, each from the first wrong tick to the present, in ticks.
    uint64_t rollback_depth_sum;
    uint32_t rollback_depth_max; ///< depth of the deepest rollback, in ticks
    uint64_t resimulated;        ///< number of ticks stepped again
    /// Number of resimulations that ended early because the resimulated state of a tick equalled
    /// its earlier state.
    uint64_t early_ends;
    /// Number of ticks that did not have to be stepped again because resimulations ended early.
    uint64_t early_end_ticks;
    uint32_t save_spacing; ///< ticks from one snapshot to the next, at present; 0 in lockstep
    /// Estimated duration of the longest possible update at present, in ms; 0: not known.
    double worst_update_ms;
    uint32_t budget_delay_ticks; ///< input delay that our time budget demands, in ticks; 0: none
    double tick_stretch;         ///< share by which ticks are longer now, because a machine is slow
    uint64_t slowed_ticks;       ///< number of ticks lost so far because ticks were made longer
    uint64_t stalled_ticks;      ///< number of due ticks skipped so that other peers catch up
    /// Number of due ticks not stepped because inputs were missing or a repair had not ended.
    uint64_t starved_ticks;
    uint32_t input_delay;     ///< present input delay, in ticks
    double input_delay_mean;  ///< mean input delay, in ticks
    uint32_t input_delay_max; ///< longest input delay so far, in ticks
    /// Number of hitches: times that we stood still, after the first step, because inputs were
    /// missing or a repair had not ended.
    uint64_t hitches;
    double paused_ms;    ///< time in which the match was paused, in ms; no other number counts it
    double hitch_ms_max; ///< duration of the longest hitch that has ended, in ms; 0: none
    /// Median of the time from the step of a new tick to the step of the next, in ms; 0: not known.
    /// Right to 1/32 of a tick up to four ticks, above that at most 10 % too long.
    double tick_interval_ms_p50;
    /// 99th percentile of the same times, in ms, as exact as the median; 0: not known.
    double tick_interval_ms_p99;
    /// Longest time from the step of a new tick to the step of the next, in ms; 0: not known.
    double tick_interval_ms_max;
    uint64_t stall_gaps; ///< number of gaps between two stalls
    /// Length of the shortest gap between two stalls, in ticks; 0: no gap.
    uint32_t stall_gap_least;
    double stall_gap_mean;     ///< mean length of the gaps between two stalls, in ticks; 0: no gap
    double lag_mean;           ///< mean of the local lag over all peers and packets, in ticks
    double advantage_abs_mean; ///< mean absolute value of the advantage over all spans, in ticks
    double advantage_abs_max;  ///< largest absolute value of the advantage in a span, in ticks
    /// Number of ticks whose state was not kept until all peers agreed on it, because there was no
    /// room for it or the peers took too long.
    uint64_t kept_lost;
    uint64_t packets_sent;       ///< packets sent to all peers
    uint64_t payload_bytes_sent; ///< UDP payload sent to all peers, in bytes
    uint64_t input_bytes_sent;   ///< bytes of payload_bytes_sent that are inputs
    uint64_t seal_bytes_sent;    ///< bytes of payload_bytes_sent that are encryption and handshakes
    uint64_t packets_received;   ///< packets received and accepted
    uint64_t packets_refused;    ///< packets dropped for any reason
    /// Number of packets in packets_refused that were foreign, damaged or cut.
    uint64_t packets_forged;
    /// Number of packets in packets_refused that were received before, or were too old to check.
    uint64_t packets_repeated;
    /// Number of packets in packets_refused that exceeded the limit of 20 handshakes a second.
    uint64_t handshakes_limited;
    /// Number of times that a peer's packets came from a new address, to which we then sent our
    /// packets for it.
    uint64_t address_changes;
    uint64_t relayed;    ///< number of packets of other peers that we carried for them
    uint32_t views;      ///< number of times that the view changed because peers left
    uint32_t handovers;  ///< number of times that we became the host because the host left
    uint64_t connect_ns; ///< time from the first update to the first tick, in ns
    uint32_t link_count; ///< one past the highest number of a peer
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
