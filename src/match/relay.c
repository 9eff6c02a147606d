// SPDX-License-Identifier: MIT

#include "match/relay.h"

#include <string.h>

#include "base/bytes.h"
#include "base/report.h"
#include "match/match_config.h"
#include "match/source_owner.h"
#include "match/system.h"
#include "replay/format/replay_commands.h"
#include "replay/format/replay_format.h"
#include "replay/play/playback_parts.h"

/// Most packets received in one update.
#define PACKETS_TAKEN_MAX 4096

/// Time for which one update steps the game, so that a playback that lies behind does not hold up
/// the program.
#define STEPS_NS UINT64_C(4000000)

/// Time for which a newcomer's state waits for the hash that shows if it is right. A match that is
/// paused has no next tick.
#define HASH_NS UINT64_C(1000000000)

/// Least time between two lists of members that are taken from the source.
#define NAME_NS UINT64_C(500000000)

/// Seconds by which the playback may lie behind while newcomers wait for a state: else somebody
/// else serves them sooner.
#define BEHIND_S 5u

/// Most bytes a second to all watchers together, if the config does not say.
#define BYTES_PER_S 250000u

/// Longest time for which closing waits until watchers have the end of a complete recording, and
/// the time between two looks meanwhile.
#define LINGER_NS UINT64_C(1000000000)
#define LOOK_NS   UINT64_C(5000000)

static const char call[] = "bks_feed_open";

// ---- set-up ----

static bks_status check_config(const bks_feed_config *config, bks_error *error)
{
    const uint32_t rate = config->serve_bytes_per_s;
    if (config->game == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "game",
                         "game is NULL, must not be: whoever serves others steps the game, because "
                         "newcomers need a state");
    }
    return rate == 0 || (rate >= BKSI_FEED_RATE_MIN && rate <= BKSI_FEED_RATE_MAX)
               ? BKS_OK
               : bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "serve_bytes_per_s",
                           "serve_bytes_per_s is %u, must be 0 or %u..%u", rate, BKSI_FEED_RATE_MIN,
                           BKSI_FEED_RATE_MAX);
}

static bks_status make_source(bksi_relay *relay, const bks_feed_config *config,
                              const uint8_t key[BKS_KEY_BYTES], bks_error *error)
{
    bksi_feed_source_config source = {
        .watchers = BKSI_FEED_WATCHERS_MAX,
        .bytes_per_s = config->serve_bytes_per_s > 0 ? config->serve_bytes_per_s : BYTES_PER_S,
        .allocator = relay->allocator,
    };
    memcpy(source.key, key, BKS_KEY_BYTES);
    const bks_status status = bksi_source_make(&source, &relay->source, error);
    return status != BKS_ERR_OUT_OF_MEMORY
               ? status
               : bksi_fail(error, status, call, "serve_address", "no memory to serve watchers");
}

static void write_invitation(bksi_relay *relay, const uint8_t key[BKS_KEY_BYTES])
{
    bks_address own;
    bks_invitation invitation = {.is_for_watching = true};
    memcpy(invitation.key, key, BKS_KEY_BYTES);
    (void)bks_udp_local_address(relay->udp, &own);
    (void)bks_udp_address_format(&own, invitation.address, sizeof(invitation.address));
    (void)!bks_invitation_format(&invitation, relay->invitation, sizeof(relay->invitation));
}

bks_status bksi_relay_open(bksi_relay *relay, const bks_feed_config *config,
                           const uint8_t key[BKS_KEY_BYTES], bks_error *error)
{
    *relay =
        (bksi_relay){.allocator = config->allocator, .game = config->game, .wanted = BKS_TICK_NONE};
    if (config->serve_address == NULL) {
        return BKS_OK;
    }
    BKSI_TRY(check_config(config, error));
    const bks_status status = bks_udp_open(config->serve_address, &relay->udp, error);
    if (status != BKS_OK) {
        return bksi_match_config_field(status, "serve_address", error);
    }
    relay->transport = bks_udp_transport(relay->udp);
    BKSI_TRY(make_source(relay, config, key, error));
    write_invitation(relay, key);
    return BKS_OK;
}

// ---- what comes ----

/// Serve nobody any more: watchers are sent to the members that the source has named.
static void fail(bksi_relay *relay, bksi_feed_reason reason)
{
    relay->is_over = true;
    relay->wanted = BKS_TICK_NONE;
    bksi_feed_source_fail(relay->source, reason);
}

static bks_status begin(bksi_relay *relay, const bksi_feed_receiver *receiver, bks_error *error)
{
    const bks_replay_piece piece = {.bytes = receiver->bytes,
                                    .count = bksi_feed_receiver_bytes(receiver)};
    BKSI_TRY(bks_replay_open_growing(&piece, 1, &relay->allocator, &relay->replay, error));
    const bks_playback_config config = {
        .replay = relay->replay, .game = relay->game, .allocator = relay->allocator};
    BKSI_TRY(bks_playback_create(&config, &relay->playback, error));
    relay->bytes = receiver->bytes;
    relay->count = piece.count;
    relay->passed = receiver->begun;
    // Beside the commands of one tick the ring holds as much as without commands, as a member's.
    const size_t commands_bytes =
        relay->game->command_bytes_max > 0
            ? bksi_commands_record_bytes_max(bks_replay_info(relay->replay)->players)
            : 0;
    const bool is_by_history = relay->playback->has_pointers;
    const bks_status status = bksi_feed_source_start_passing(
        relay->source, receiver->bytes, receiver->begun,
        is_by_history ? 0 : bks_playback_export(relay->playback, NULL, 0), commands_bytes);
    return status == BKS_OK ? BKS_OK
                            : bksi_fail(error, status, call, NULL, "%s", bks_status_text(status));
}

/// Read what has come since the last call. The bytes may be at another address, too.
static bks_status read_more(bksi_relay *relay, const bksi_feed_receiver *receiver, bks_error *error)
{
    const size_t count = bksi_feed_receiver_bytes(receiver);
    if (count == relay->count && receiver->bytes == relay->bytes) {
        return BKS_OK;
    }
    const bks_replay_piece piece = {.bytes = receiver->bytes, .count = count};
    relay->bytes = receiver->bytes;
    relay->count = count;
    return bks_replay_refresh(relay->replay, &piece, 1, error);
}

/// Pass on the records that have come. Each has been written by the receiver, so it is whole.
static void pass(bksi_relay *relay, uint64_t now_ns)
{
    while (relay->passed < relay->count) {
        const uint8_t *record = relay->bytes + relay->passed;
        const size_t count = (size_t)bksi_get_u32(record + 4) + BKSI_RECORD_EXTRA_BYTES;
        bksi_feed_source_pass(relay->source, record, count, now_ns);
        relay->passed += count;
    }
}

/// Return true if the hash of the newest tick, with which the next record begins, may come soon.
static bool waits_for_hash(const bksi_relay *relay, const bks_recording *info)
{
    return !info->is_complete && bksi_clock_ns() - relay->wanted_ns < HASH_NS;
}

/// Step towards the newest tick, and let newcomers begin on the way.
static bks_status follow(bksi_relay *relay, bks_error *error)
{
    const uint64_t until_ns = bksi_clock_ns() + STEPS_NS;
    const bks_recording *info = bks_replay_info(relay->replay);
    const bks_tick end = info->end;
    if (end - bks_playback_tick(relay->playback) > (bks_tick)(BEHIND_S * info->tick_rate_hz)) {
        bksi_feed_source_turn_away(relay->source);
        relay->wanted = BKS_TICK_NONE;
    } else if (relay->wanted == BKS_TICK_NONE && bksi_feed_source_wants(relay->source)) {
        relay->wanted = relay->source->tape.end;
        relay->wanted_at = relay->source->tape.after;
        relay->wanted_ns = bksi_clock_ns();
    }
    for (;;) {
        const bks_tick tick = bks_playback_tick(relay->playback);
        if (tick == relay->wanted && tick == end && waits_for_hash(relay, info)) {
            return BKS_OK;
        }
        if (tick == relay->wanted) {
            if (!bks_replay_hash_agrees(relay->replay, tick, bks_playback_hash(relay->playback))) {
                return bksi_fail(error, BKS_ERR_GAME, call, NULL,
                                 "the state at tick %d is not the recorded one", (int)tick);
            }
            relay->wanted = BKS_TICK_NONE;
            bksi_feed_source_begin(relay->source, relay->playback->runner, tick, &relay->wanted_at);
        }
        if (tick >= end || bksi_clock_ns() >= until_ns) {
            return BKS_OK;
        }
        const bks_status status = bks_playback_step(relay->playback);
        if (status != BKS_OK) {
            return bksi_fail(error, status, call, NULL, "tick %d cannot be played: %s", (int)tick,
                             bks_status_text(status));
        }
    }
}

/// Pass on the members that the source has named, and the source itself.
/// Each change is told to all watchers, so a source that changes its list all the time is not
/// followed each time.
static void name_members(bksi_relay *relay, const bksi_feed_receiver *receiver, uint64_t now_ns)
{
    if (relay->named_ns > 0 && now_ns - relay->named_ns < NAME_NS) {
        return;
    }
    relay->named_ns = now_ns;
    const bksi_feed_members source = {.count = 1, .addresses = {receiver->source}};
    bksi_feed_members members = receiver->members;
    bksi_feed_members_add(&members, &source);
    members.hops += members.hops <= BKSI_FEED_HOPS_MAX; // MEMBERS has one byte for it
    bksi_feed_source_name(relay->source, &members);
}

static void pass_on(bksi_relay *relay, const bksi_feed_receiver *receiver, uint64_t now_ns)
{
    bks_error error = {0};
    bks_status status = BKS_OK;
    if (relay->replay == NULL) {
        status = begin(relay, receiver, &error);
    } else {
        status = read_more(relay, receiver, &error);
    }
    if (status == BKS_OK) {
        pass(relay, now_ns);
        status = follow(relay, &error);
    }
    if (status != BKS_OK) {
        bksi_log(BKS_LOG_ERROR, "feed.relay", "nobody can watch here any more: %s", error.text);
        fail(relay, BKSI_FEED_LEAVES);
    } else if (receiver->status < BKS_OK) {
        fail(relay, (bksi_feed_reason)receiver->reason);
    }
}

// ---- packets ----

static void take_packets(bksi_relay *relay, uint8_t *packet, uint64_t now_ns)
{
    bks_address from;
    for (int taken = 0; taken < PACKETS_TAKEN_MAX; taken++) {
        const size_t count =
            relay->transport.receive(relay->transport.context, &from, packet, BKS_PACKET_BYTES_MAX);
        if (count == 0) {
            return;
        }
        if (bksi_feed_is_packet(packet, count)) {
            bksi_feed_source_receive(relay->source, now_ns, &from, packet, count);
        }
    }
}

/// Receive and send.
static void exchange(bksi_relay *relay, uint8_t *packet, uint64_t now_ns)
{
    take_packets(relay, packet, now_ns);
    bksi_feed_source_relay(relay->source, now_ns);
    bksi_source_send(relay->source, bksi_feed_source_send, BKSI_FEED_MARK_1, &relay->transport,
                     packet, now_ns);
}

void bksi_relay_update(bksi_relay *relay, const bksi_feed_receiver *receiver, uint8_t *packet,
                       uint64_t now_ns)
{
    if (relay->source == NULL) {
        return;
    }
    if (!relay->is_over) {
        name_members(relay, receiver, now_ns); // those who wait need them, too
    }
    if (!relay->is_over && bksi_feed_receiver_bytes(receiver) > 0) {
        pass_on(relay, receiver, now_ns);
    } else if (!relay->is_over && receiver->status < BKS_OK) {
        fail(relay, (bksi_feed_reason)receiver->reason);
    }
    exchange(relay, packet, now_ns);
}

bool bksi_relay_owes(const bksi_relay *relay)
{
    return relay->source != NULL && bksi_feed_source_owes(relay->source);
}

static void linger(bksi_relay *relay, uint8_t *packet)
{
    const uint64_t until_ns = bksi_clock_ns() + LINGER_NS;
    uint64_t now_ns;
    while (bksi_relay_owes(relay) && (now_ns = bksi_clock_ns()) < until_ns) {
        exchange(relay, packet, now_ns);
        (void)bks_udp_wait(relay->udp, LOOK_NS);
    }
}

void bksi_relay_close(bksi_relay *relay)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    if (relay->source != NULL) {
        linger(relay, packet);
        bksi_source_send(relay->source, bksi_feed_source_leave, BKSI_FEED_MARK_1, &relay->transport,
                         packet, bksi_clock_ns());
        bksi_source_drop(&relay->source);
    }
    bks_playback_destroy(relay->playback);
    bks_replay_close(relay->replay);
    bks_udp_close(relay->udp);
}
