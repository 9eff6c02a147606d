// SPDX-License-Identifier: MIT

/// @file feed_source.h
/// Source of a feed: lets watchers in by handshakes of its own, and sends each of them the match's
/// recording as it grows. It has no clock and no socket.
///
///     if (bksi_feed_is_packet(packet)) bksi_feed_source_receive(packet)
///     the match updates, and sends all it wants
///     bksi_feed_source_update
///     while (bksi_feed_source_send) the caller sends the packet
///
/// Everything is allocated at create and start; watchers cost bounded memory and time.

#ifndef BKSI_FEED_SOURCE_H
#define BKSI_FEED_SOURCE_H

#include "feed/feed_place.h"
#include "feed/feed_refusals.h"

/// Least and greatest `bytes_per_s`.
#define BKSI_FEED_RATE_MIN 1000u
#define BKSI_FEED_RATE_MAX 12500000u

typedef struct bksi_feed_source_config {
    /// Most watchers, 0..BKSI_FEED_WATCHERS_MAX; 0: all who have the key are told that nobody may
    /// watch here.
    uint32_t watchers;
    uint64_t delay_ns;              ///< time for which everything is held back
    uint32_t bytes_per_s;           ///< most bytes a second to all watchers together
    const char *build;              ///< name of the game's build, may be NULL
    uint8_t key[BKS_KEY_BYTES];     ///< key of the feed, from bksi_feed_key()
    uint8_t entropy[BKS_KEY_BYTES]; ///< random bytes used for nothing else
    bks_allocator allocator;
} bksi_feed_source_config;

typedef struct bksi_feed_source {
    bksi_feed_source_config config;
    char build[64]; ///< name of the game's build
    bksi_guard guard;
    bksi_guard_channel *channels; ///< channels beyond those of every guard, NULL: none are needed
    bksi_feed_place *places;
    uint32_t used; ///< one past the last place that was ever taken
    /// Channel of each place, 0: nobody has it; and time from which on it may have a packet to
    /// send. Places are large and far apart, so what each wait of the match asks for lies here.
    bksi_channel taken[BKSI_FEED_WATCHERS_MAX];
    uint64_t due_ns[BKSI_FEED_WATCHERS_MAX];
    bksi_feed_tape tape;
    bool has_tape;   ///< `tape` was created
    bool is_started; ///< the match has started
    uint64_t seed;   ///< seed of the match
    uint64_t now_ns;
    double credit;      ///< bytes that may be sent at once
    uint64_t earned_ns; ///< time up to which `credit` is counted
    bool is_flushed;    ///< the guard has no packet of its own until the next one arrives
    uint64_t held_ns;   ///< time before which nothing is sent, because a member's line is cramped
    uint32_t turn;      ///< place whose turn it is to send
    uint32_t reader;    ///< place whose turn it is to read records
    double reads;       ///< places that may read records at once
    uint64_t reads_ns;  ///< time up to which `reads` is counted
    bksi_feed_refusals refusals;
    bksi_feed_members members; ///< other members, whom watchers may ask
} bksi_feed_source;

/// Create a source: no watcher is let in before bksi_feed_source_receive().
/// @param identity  random secret that identifies the source in handshakes
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY (nothing is left to destroy)
bks_status bksi_feed_source_create(bksi_feed_source *source, const bksi_feed_source_config *config,
                                   const uint8_t identity[BKS_KEY_BYTES]);
void bksi_feed_source_destroy(bksi_feed_source *source);

/// Process a packet with the mark of a feed.
void bksi_feed_source_receive(bksi_feed_source *source, uint64_t now_ns, const bks_address *from,
                              const uint8_t *packet, size_t count);

/// Allocate what depends on the game's state, once the match has started.
void bksi_feed_source_start(bksi_feed_source *source, bksi_runner *runner);

/// Hand out a state and no more: the recording ends with its beginning. Call this in place of
/// bksi_feed_source_start(), and then bksi_feed_source_serve() in place of
/// bksi_feed_source_update().
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
bks_status bksi_feed_source_start_still(bksi_feed_source *source, const bks_start *start,
                                        bks_tick tick, const void *state, size_t state_bytes);

/// Serve on what another source sends. Call this once its beginning is here, in place of
/// bksi_feed_source_start().
/// @param bytes            beginning of the recording
/// @param state_bytes_max  most bytes of a state, 0: by history
/// @param commands_bytes   most bytes of a CMDS record, 0: there are none
/// @return as bksi_feed_tape_create_passing()
bks_status bksi_feed_source_start_passing(bksi_feed_source *source, const uint8_t *bytes,
                                          size_t count, size_t state_bytes_max,
                                          size_t commands_bytes);

/// Pass on a record of that recording. Call bksi_feed_source_relay() after all that have come, in
/// place of bksi_feed_source_update().
void bksi_feed_source_pass(bksi_feed_source *source, const uint8_t *record, size_t count,
                           uint64_t now_ns);

/// Return true if a newcomer waits for a state, with which bksi_feed_source_begin() begins.
bool bksi_feed_source_wants(const bksi_feed_source *source);

/// Give up those who wait for a state, because there is none soon: others may have a place.
void bksi_feed_source_turn_away(bksi_feed_source *source);

/// Let newcomers begin with the state in the runner. @see bksi_feed_tape_begin()
void bksi_feed_source_begin(bksi_feed_source *source, bksi_runner *runner, bks_tick tick,
                            const bksi_feed_cursor *records);

/// Pack the next slice of a newcomer's state, and write to the watchers' streams.
void bksi_feed_source_relay(bksi_feed_source *source, uint64_t now_ns);

/// Set whom watchers may ask beside this source, and how far it is from the match.
void bksi_feed_source_name(bksi_feed_source *source, const bksi_feed_members *members);

/// Give up all watchers, because there are no more records.
/// @param reason  BKSI_FEED_REPAIRED: what was sent is wrong; another one: others may serve
void bksi_feed_source_fail(bksi_feed_source *source, bksi_feed_reason reason);

/// Write to the watchers' streams, and give up those that are silent.
void bksi_feed_source_serve(bksi_feed_source *source, uint64_t now_ns);

/// Take what the match has settled. Call this after each update of the match.
void bksi_feed_source_update(bksi_feed_source *source, const bks_session *session,
                             bksi_runner *runner, uint64_t now_ns);

/// Record a line of text for the watchers.
void bksi_feed_source_note(bksi_feed_source *source, const char *text);

/// Complete the recording now, because this machine leaves the match. What the delay holds back is
/// sent at once if nobody plays on.
void bksi_feed_source_finish(bksi_feed_source *source, const bks_session *session, uint64_t now_ns);

/// Write the next packet that is due.
/// @param packet  room for BKS_PACKET_BYTES_MAX
/// @return bytes of the packet, 0: none is due
size_t bksi_feed_source_send(bksi_feed_source *source, bks_address *to, uint8_t *packet,
                             uint64_t now_ns);

/// Write a goodbye to the next watcher, and give up its place; then to those who wait for a
/// refusal.
/// @return bytes of the packet, 0: all are told
size_t bksi_feed_source_leave(bksi_feed_source *source, bks_address *to, uint8_t *packet,
                              uint64_t now_ns);

/// Return true if a watcher still lacks bytes of a complete recording.
bool bksi_feed_source_owes(const bksi_feed_source *source);

/// Return when the next packet is due, UINT64_MAX: none while nothing arrives or settles.
uint64_t bksi_feed_source_wake(const bksi_feed_source *source);

/// Return the number of places that are taken.
uint32_t bksi_feed_source_watchers(const bksi_feed_source *source);

#endif
