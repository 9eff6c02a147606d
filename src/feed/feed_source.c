// SPDX-License-Identifier: MIT

#include "feed/feed_source.h"

#include <sodium.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "session/queries.h"

_Static_assert(BKSI_FEED_CHANNELS_MORE > BKSI_YOUNG_MAX,
               "a watcher gets a channel while others call and never finish");

/// Room for the newest records: minutes of them, and more if they are held back.
#define RING_BYTES       ((size_t)256 << 10)
#define RING_BYTES_A_SEC ((size_t)4 << 10)

/// Time for which nothing is sent after a member's line was cramped.
#define HELD_NS UINT64_C(1000000000)

/// Age from which on a beginning is too old for a newcomer, if nobody else still reads it.
#define OLD_NS UINT64_C(2000000000)

/// Places that read records in a second, and at once: each has a packet sent to its watcher. So the
/// packets to a crowd are spread over updates, and few watchers wait for nothing.
#define READS_A_SECOND 240.0
#define READS_MOST     4.0

/// Part of a second whose bytes may be sent at once.
#define BURSTS_A_SECOND 8.0

/// Return the number of channels that the source needs beside those of every guard.
static uint32_t more_channels(const bksi_feed_source_config *config)
{
    const uint32_t all = config->watchers + BKSI_FEED_CHANNELS_MORE;
    return all > BKSI_CHANNELS ? all - BKSI_CHANNELS : 0;
}

/// Allocate places, and channels for those who have one.
static bks_status take_memory(bksi_feed_source *source)
{
    const bksi_feed_source_config *config = &source->config;
    const size_t places_bytes = config->watchers * sizeof(bksi_feed_place);
    const size_t channels_bytes = more_channels(config) * sizeof(bksi_guard_channel);
    if (places_bytes > 0) {
        source->places = bksi_alloc(&config->allocator, places_bytes, _Alignof(bksi_feed_place));
    }
    if (channels_bytes > 0) {
        source->channels =
            bksi_alloc(&config->allocator, channels_bytes, _Alignof(bksi_guard_channel));
    }
    if ((source->places == NULL && places_bytes > 0) ||
        (source->channels == NULL && channels_bytes > 0)) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    if (channels_bytes > 0) {
        memset(source->channels, 0, channels_bytes);
    }
    bks_status status = BKS_OK;
    for (uint32_t i = 0; i < config->watchers && status == BKS_OK; i++) {
        status =
            bksi_feed_place_create(&source->places[i], config->bytes_per_s, &config->allocator);
    }
    return status;
}

bks_status bksi_feed_source_create(bksi_feed_source *source, const bksi_feed_source_config *config,
                                   const uint8_t identity[BKS_KEY_BYTES])
{
    memset(source, 0, sizeof(*source));
    source->config = *config;
    const bks_status status = take_memory(source);
    if (status != BKS_OK) {
        bksi_feed_source_destroy(source);
        return status;
    }
    bksi_guard_init(&source->guard, config->key, identity, config->entropy);
    bksi_guard_widen(&source->guard, source->channels, more_channels(config));
    sodium_memzero(source->config.key, BKS_KEY_BYTES);
    sodium_memzero(source->config.entropy, BKS_KEY_BYTES);
    source->config.build = NULL;
    (void)snprintf(source->build, sizeof(source->build), "%s",
                   config->build != NULL ? config->build : "");
    return BKS_OK;
}

void bksi_feed_source_destroy(bksi_feed_source *source)
{
    for (uint32_t i = 0; i < source->config.watchers && source->places != NULL; i++) {
        bksi_feed_place_destroy(&source->places[i]);
    }
    bksi_free(&source->config.allocator, source->places,
              source->config.watchers * sizeof(bksi_feed_place));
    if (source->has_tape) {
        bksi_feed_tape_destroy(&source->tape);
    }
    bksi_guard_wipe(&source->guard);
    bksi_free(&source->config.allocator, source->channels,
              more_channels(&source->config) * sizeof(bksi_guard_channel));
    source->places = NULL;
    source->channels = NULL;
    source->has_tape = false;
}

// ---- places ----

static bksi_feed_place *place_of(bksi_feed_source *source, bksi_channel channel)
{
    for (uint32_t i = 0; i < source->used; i++) {
        if (source->taken[i] == channel && channel != 0) {
            return &source->places[i];
        }
    }
    return NULL;
}

static void free_place(bksi_feed_source *source, bksi_feed_place *place)
{
    bksi_feed_place_free(place);
    source->taken[place - source->places] = 0;
    source->due_ns[place - source->places] = UINT64_MAX;
}

/// Free the place of a watcher that is gone, and its channel.
static void release(bksi_feed_source *source, bksi_feed_place *place)
{
    free_place(source, place);
    bksi_feed_refusals_remove(&source->refusals, place->channel);
    bksi_guard_release(&source->guard, place->channel);
}

/// Have one that asks told why there is no feed. Its channel is its own until then, but not without
/// a turn, which would never come.
static void refuse_soon(bksi_feed_source *source, bksi_channel channel, bksi_feed_reason reason)
{
    if (bksi_feed_refusals_add(&source->refusals, channel, reason)) {
        bksi_guard_hold(&source->guard, channel);
    } else {
        bksi_guard_unhold(&source->guard, channel);
    }
}

/// Give up a watcher, and tell it why.
static void give_up(bksi_feed_source *source, bksi_feed_place *place, bksi_feed_reason reason)
{
    free_place(source, place);
    refuse_soon(source, place->channel, reason);
}

static bool is_too_far(const bksi_feed_source *source)
{
    return source->members.hops > BKSI_FEED_HOPS_MAX;
}

/// Return why there is no feed for one that asks, BKSI_FEED_FULL: nothing but a place may be
/// missing.
static bksi_feed_reason objection(const bksi_feed_source *source, const bksi_guard_message *watch)
{
    const bool is_watch = watch->body_bytes == BKSI_FEED_WATCH_BYTES ||
                          watch->body_bytes == BKSI_FEED_WATCH_BYTES_MORE;
    const uint32_t word = is_watch ? watch->body[0] : 0;
    return (word & BKSI_FEED_HAS_BEGUN) != 0         ? BKSI_FEED_LEAVES
           : word != BKSI_FEED_VERSION               ? BKSI_FEED_VERSIONS
           : source->config.watchers == 0            ? BKSI_FEED_NOBODY
           : is_too_far(source)                      ? BKSI_FEED_TOO_FAR
           : source->tape.has_failed                 ? BKSI_FEED_LEAVES
           : source->is_started && !source->has_tape ? BKSI_FEED_NO_STATE
                                                     : BKSI_FEED_FULL;
}

static void let_in(bksi_feed_source *source, const bksi_guard_message *message)
{
    const bksi_feed_reason reason = objection(source, message);
    for (uint32_t i = 0; i < source->config.watchers && reason == BKSI_FEED_FULL; i++) {
        if (source->taken[i] == 0 && !bksi_mutated(BKSI_MUTANT_FEED_REFUSES)) {
            bksi_feed_place_open(&source->places[i], message, source->now_ns);
            source->taken[i] = message->channel;
            source->used = source->used > i ? source->used : i + 1;
            bksi_guard_hold(&source->guard, message->channel);
            return;
        }
    }
    refuse_soon(source, message->channel, reason);
}

/// Have a watcher, with a place or without, told the hash of a tick.
static void take_question(bksi_feed_source *source, const bksi_guard_message *message)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    const uint32_t version = bksi_read_u8(&reader);
    const uint64_t seed = bksi_read_u64(&reader);
    const bks_tick tick = (bks_tick)bksi_read_u32(&reader);
    if (message->body_bytes == BKSI_FEED_QUESTION_BYTES && version == BKSI_FEED_VERSION &&
        source->has_tape && seed == source->seed &&
        bksi_feed_refusals_ask(&source->refusals, message->channel, tick)) {
        bksi_guard_hold(&source->guard, message->channel);
    }
}

static void take_message(bksi_feed_source *source, const bksi_guard_message *message)
{
    if (!message->is_proven) {
        return; // the sender has the key, but may have recorded the packet elsewhere
    }
    if (message->type == BKSI_FEED_HASH) {
        take_question(source, message);
    }
    if (message->type == BKSI_FEED_WATCH && place_of(source, message->channel) == NULL) {
        let_in(source, message);
    }
    bksi_feed_place *place = place_of(source, message->channel);
    if (place == NULL) {
        return;
    }
    bksi_feed_place_take(place, message, source->now_ns);
    source->due_ns[place - source->places] = 0;
    if (message->type == BKSI_FEED_BYE) {
        release(source, place);
    }
}

void bksi_feed_source_receive(bksi_feed_source *source, uint64_t now_ns, const bks_address *from,
                              const uint8_t *packet, size_t count)
{
    source->now_ns = now_ns;
    bksi_feed_receive(&source->guard, now_ns, from, packet, count);
    bksi_guard_message message;
    bool is_usual = false; // a sealed message from where its sender always was
    while (bksi_guard_take(&source->guard, &message)) {
        const bks_address known = bksi_guard_address(&source->guard, message.channel);
        is_usual = message.is_sealed && bks_address_equal(&known, from);
        take_message(source, &message);
    }
    source->is_flushed &= is_usual;
}

// ---- the recording ----

void bksi_feed_source_start(bksi_feed_source *source, bksi_runner *runner)
{
    source->is_started = true;
    if (source->config.watchers == 0) {
        return;
    }
    source->seed = bksi_runner_start(runner)->seed;
    const uint64_t seconds = source->config.delay_ns / 1000000000 + 1;
    const bksi_feed_tape_config config = {
        .build = source->build,
        .ring_bytes = RING_BYTES + (size_t)seconds * RING_BYTES_A_SEC,
        .allocator = source->config.allocator,
    };
    const bks_status status = bksi_feed_tape_create(&source->tape, runner, &config);
    source->has_tape = status == BKS_OK;
    if (!source->has_tape) {
        bksi_log(BKS_LOG_WARNING, "feed.start", "the match cannot be watched: %s",
                 bks_status_text(status));
    }
}

bks_status bksi_feed_source_start_still(bksi_feed_source *source, const bks_start *start,
                                        bks_tick tick, const void *state, size_t state_bytes)
{
    const bksi_feed_tape_config config = {.build = source->build,
                                          .allocator = source->config.allocator};
    BKSI_TRY(bksi_feed_tape_create_still(&source->tape, start, tick, state, state_bytes, &config));
    source->is_started = true;
    source->has_tape = true;
    source->seed = start->seed;
    return BKS_OK;
}

bks_status bksi_feed_source_start_passing(bksi_feed_source *source, const uint8_t *bytes,
                                          size_t count, size_t state_bytes_max,
                                          size_t commands_bytes)
{
    const bksi_feed_tape_config config = {.ring_bytes = RING_BYTES + commands_bytes,
                                          .allocator = source->config.allocator};
    source->is_started = true;
    BKSI_TRY(bksi_feed_tape_create_passing(&source->tape, bytes, count, state_bytes_max, &config));
    source->has_tape = true;
    source->seed = source->tape.beginning.head.seed;
    return BKS_OK;
}

static bool any_at(const bksi_feed_source *source, bksi_feed_stage stage)
{
    for (uint32_t i = 0; i < source->used; i++) {
        if (source->taken[i] != 0 && source->places[i].stage == stage) {
            return true;
        }
    }
    return false;
}

/// Return true if those who wait can begin with the newest beginning: it is young, or others still
/// read it, so it cannot be replaced.
static bool can_begin(const bksi_feed_source *source)
{
    return bksi_feed_tape_has_beginning(&source->tape) &&
           (any_at(source, BKSI_FEED_BEGINNING) ||
            source->now_ns - source->tape.beginning.ready_ns <= OLD_NS ||
            source->tape.is_finished || source->tape.is_by_history);
}

bool bksi_feed_source_wants(const bksi_feed_source *source)
{
    const uint64_t made_ns = source->tape.made_ns;
    const bool is_early = made_ns > 0 && source->now_ns - made_ns < OLD_NS;
    return source->has_tape && !source->tape.is_by_history && !source->tape.has_pointers &&
           !is_early && !source->tape.beginning.is_packing && any_at(source, BKSI_FEED_WAITS) &&
           !can_begin(source);
}

/// Return why all watchers must be given up, BKSI_FEED_REASONS: go on.
static bksi_feed_reason fault(const bksi_feed_source *source)
{
    return source->tape.is_repaired                  ? BKSI_FEED_REPAIRED
           : source->tape.has_failed                 ? BKSI_FEED_LEAVES
           : source->is_started && !source->has_tape ? BKSI_FEED_NO_STATE
           : is_too_far(source)                      ? BKSI_FEED_TOO_FAR
                                                     : BKSI_FEED_REASONS;
}

/// Let more places read records, as the time since the last call allows.
static void earn_reads(bksi_feed_source *source)
{
    const double more = (double)(source->now_ns - source->reads_ns) * 1e-9 * READS_A_SECOND;
    source->reads = source->reads + more < READS_MOST ? source->reads + more : READS_MOST;
    source->reads_ns = source->now_ns;
}

/// Write to a watcher's stream, or give up the watcher.
static void serve(bksi_feed_source *source, bksi_feed_place *place, bksi_feed_offer *offer)
{
    const uint64_t read = place->cursor.place;
    bksi_feed_reason reason = fault(source);
    if (reason == BKSI_FEED_REASONS && source->has_tape) {
        offer->has_turn = source->reads >= 1.0 || source->tape.is_finished;
        reason = bksi_feed_place_write(place, offer);
        source->reads -= place->cursor.place != read ? 1.0 : 0.0;
    }
    if (reason != BKSI_FEED_REASONS) {
        give_up(source, place, reason);
    }
}

void bksi_feed_source_serve(bksi_feed_source *source, uint64_t now_ns)
{
    source->now_ns = now_ns;
    const uint32_t places = source->used;
    const uint32_t first = source->reader;
    bksi_feed_offer offer = {.tape = &source->tape,
                             .can_begin = source->has_tape && can_begin(source),
                             .seed = source->seed,
                             .delay_ns = source->config.delay_ns,
                             .now_ns = source->now_ns};
    earn_reads(source);
    for (uint32_t i = 0; i < places; i++) {
        const uint32_t at = (first + i) % places;
        bksi_feed_place *place = &source->places[at];
        if (source->reads >= 1.0) {
            source->reader = (at + 1) % places;
        }
        if (source->taken[at] == 0) {
            continue;
        }
        source->due_ns[at] = 0;
        if (source->now_ns - place->link.heard_ns > BKSI_FEED_SILENCE_NS) {
            release(source, place);
        } else {
            serve(source, place, &offer);
        }
    }
}

void bksi_feed_source_name(bksi_feed_source *source, const bksi_feed_members *members)
{
    source->members.newest = source->has_tape ? source->tape.end : 0;
    if (bksi_feed_members_equal(&source->members, members)) {
        return;
    }
    const bks_tick newest = source->members.newest;
    source->members = *members;
    source->members.newest = newest;
    for (uint32_t i = 0; i < source->used; i++) {
        bksi_feed_place_retell(&source->places[i]);
    }
}

/// Follow who is in the match, and have watchers told.
static void update_members(bksi_feed_source *source, const bks_session *session)
{
    bksi_feed_members members = {0};
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        bks_address address;
        if (bksi_session_address(session, i, &address)) {
            members.addresses[members.count++] = address;
        }
    }
    bksi_feed_source_name(source, &members);
}

void bksi_feed_source_pass(bksi_feed_source *source, const uint8_t *record, size_t count,
                           uint64_t now_ns)
{
    if (source->has_tape) {
        bksi_feed_tape_pass(&source->tape, record, count, now_ns);
    }
}

void bksi_feed_source_turn_away(bksi_feed_source *source)
{
    for (uint32_t i = 0; i < source->used; i++) {
        if (source->taken[i] != 0 && source->places[i].stage == BKSI_FEED_WAITS &&
            !source->tape.is_by_history) {
            give_up(source, &source->places[i], BKSI_FEED_FULL);
        }
    }
}

void bksi_feed_source_begin(bksi_feed_source *source, bksi_runner *runner, bks_tick tick,
                            const bksi_feed_cursor *records)
{
    bksi_feed_tape_begin(&source->tape, runner, tick, records);
}

void bksi_feed_source_relay(bksi_feed_source *source, uint64_t now_ns)
{
    if (source->has_tape) {
        bksi_feed_tape_pack(&source->tape, now_ns);
    }
    bksi_feed_source_serve(source, now_ns);
}

void bksi_feed_source_fail(bksi_feed_source *source, bksi_feed_reason reason)
{
    bksi_feed_tape_fail(&source->tape, reason == BKSI_FEED_REPAIRED);
}

void bksi_feed_source_update(bksi_feed_source *source, const bks_session *session,
                             bksi_runner *runner, uint64_t now_ns)
{
    source->now_ns = now_ns;
    if (source->config.watchers == 0) {
        return;
    }
    if (!source->tape.is_finished && bksi_session_is_cramped(session)) {
        source->held_ns = now_ns + HELD_NS;
    }
    if (source->has_tape) {
        bksi_feed_tape_update(&source->tape, session, runner, bksi_feed_source_wants(source),
                              now_ns);
    }
    update_members(source, session);
    bksi_feed_source_serve(source, now_ns);
    if (source->tape.is_repaired) {
        source->tape.is_repaired = false; // all who had the wrong states are given up
        bksi_feed_tape_drop(&source->tape);
    }
}

/// Return true if nobody plays on, so nothing can be learnt from the match any more.
static bool is_over_for_all(const bks_session *session)
{
    bks_roster roster = {0};
    (void)bks_session_roster(session, &roster);
    bool has_others = false;
    for (uint32_t i = 0; i < roster.peers; i++) {
        has_others |= i != roster.self && roster.is_in[i];
    }
    const bks_tick end = roster.first_tick + roster.ticks;
    return !has_others || (roster.ticks > 0 && bks_session_confirmed(session) >= end);
}

void bksi_feed_source_note(bksi_feed_source *source, const char *text)
{
    if (source->has_tape) {
        bksi_feed_tape_note(&source->tape, text);
    }
}

void bksi_feed_source_finish(bksi_feed_source *source, const bks_session *session, uint64_t now_ns)
{
    source->now_ns = now_ns;
    if (source->has_tape) {
        bksi_feed_tape_finish(&source->tape, session, now_ns);
        if (is_over_for_all(session)) {
            source->held_ns = 0;
            source->config.delay_ns = 0;
        }
        bksi_feed_source_serve(source, now_ns);
    }
}

// ---- packets to send ----

/// Add the bytes that the time since the last call allows.
static void earn(bksi_feed_source *source, uint64_t now_ns)
{
    const double most = source->config.bytes_per_s / BURSTS_A_SECOND;
    const double more = (double)(now_ns - source->earned_ns) * 1e-9 * source->config.bytes_per_s;
    source->credit = source->credit + more < most ? source->credit + more : most;
    source->earned_ns = now_ns;
    source->now_ns = now_ns;
}

/// Say why there is no feed.
static size_t refuse(bksi_feed_source *source, const bksi_feed_refusal *refusal, bks_address *to,
                     uint8_t *packet, uint64_t now_ns)
{
    uint8_t body[1 + BKSI_FEED_MEMBERS_BYTES_MAX] = {refusal->reason};
    const size_t more = bksi_feed_others_may_serve(refusal->reason)
                            ? bksi_feed_members_write(&source->members, body + 1)
                            : 0;
    return bksi_feed_send(NULL, &source->guard, refusal->channel, BKSI_FEED_REFUSE, body, 1 + more,
                          to, packet, now_ns);
}

/// Answer a question for a hash, if it is held and no longer held back.
static size_t answer(bksi_feed_source *source, const bksi_feed_refusal *question, bks_address *to,
                     uint8_t *packet, uint64_t now_ns)
{
    const uint64_t delay_ns = source->config.delay_ns;
    uint8_t body[BKSI_FEED_ANSWER_BYTES];
    uint64_t hash = 0;
    if (!bksi_feed_tape_hash(&source->tape, question->tick,
                             now_ns > delay_ns ? now_ns - delay_ns : 0, &hash)) {
        return 0;
    }
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_write_u32(&writer, (uint32_t)question->tick);
    bksi_write_u64(&writer, hash);
    return bksi_feed_send(NULL, &source->guard, question->channel, BKSI_FEED_HASH, body, writer.at,
                          to, packet, now_ns);
}

/// Write the next refusal or answer.
static size_t reply(bksi_feed_source *source, bks_address *to, uint8_t *packet, uint64_t now_ns)
{
    bksi_feed_refusal next;
    if (now_ns < source->held_ns || source->credit <= 0.0 ||
        !bksi_feed_refusals_next(&source->refusals, now_ns, &next)) {
        return 0;
    }
    const bool has_place = place_of(source, next.channel) != NULL;
    if (!has_place) {
        bksi_guard_unhold(&source->guard, next.channel);
    }
    return next.is_question ? answer(source, &next, to, packet, now_ns)
           : has_place      ? 0 // it got one meanwhile
                            : refuse(source, &next, to, packet, now_ns);
}

size_t bksi_feed_source_send(bksi_feed_source *source, bks_address *to, uint8_t *packet,
                             uint64_t now_ns)
{
    earn(source, now_ns);
    size_t count = reply(source, to, packet, now_ns);
    if (count == 0 && !source->is_flushed) {
        count = bksi_feed_flush(&source->guard, to, packet, now_ns);
        source->is_flushed = count == 0;
    }
    for (uint32_t i = 0; i < source->used && count == 0 && source->credit > 0.0; i++) {
        const uint32_t at = source->turn;
        bksi_feed_place *place = &source->places[at];
        source->turn = (at + 1) % source->used;
        if (source->due_ns[at] <= now_ns) {
            count = bksi_feed_place_send(place, &source->guard, &source->members,
                                         now_ns < source->held_ns, to, packet, now_ns);
            source->due_ns[at] = count > 0 ? 0 : bksi_bulk_due_ns(&place->link.bulk, now_ns);
        }
    }
    source->credit -= count > 0 ? (double)(count + BKSI_DATAGRAM_HEAD_BYTES) : 0.0;
    return count;
}

size_t bksi_feed_source_leave(bksi_feed_source *source, bks_address *to, uint8_t *packet,
                              uint64_t now_ns)
{
    const uint8_t leaves = BKSI_FEED_LEAVES;
    size_t count = 0;
    for (uint32_t i = 0; i < source->used && count == 0; i++) {
        bksi_feed_place *place = &source->places[i];
        if (source->taken[i] != 0) {
            free_place(source, place);
            count = bksi_feed_send(&place->link, &source->guard, place->channel, BKSI_FEED_BYE,
                                   &leaves, 1, to, packet, now_ns);
        }
    }
    bksi_feed_refusal next;
    while (count == 0 && bksi_feed_refusals_pop(&source->refusals, &next)) {
        count = next.is_question ? 0 : refuse(source, &next, to, packet, now_ns);
    }
    return count;
}

bool bksi_feed_source_owes(const bksi_feed_source *source)
{
    for (uint32_t i = 0; i < source->used; i++) {
        if (bksi_feed_place_lacks(&source->places[i], &source->tape)) {
            return source->tape.is_finished;
        }
    }
    return false;
}

uint64_t bksi_feed_source_wake(const bksi_feed_source *source)
{
    uint64_t wake_ns = UINT64_MAX;
    for (uint32_t i = 0; i < source->used; i++) {
        wake_ns = source->due_ns[i] < wake_ns ? source->due_ns[i] : wake_ns;
    }
    const double short_of = source->credit > 0.0 ? 0.0 : 1.0 - source->credit;
    const uint64_t paid_ns =
        source->earned_ns + (uint64_t)(short_of * 1e9 / source->config.bytes_per_s);
    const uint64_t least_ns = paid_ns > source->held_ns ? paid_ns : source->held_ns;
    return wake_ns > least_ns ? wake_ns : least_ns;
}

uint32_t bksi_feed_source_watchers(const bksi_feed_source *source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->used; i++) {
        count += source->taken[i] != 0;
    }
    return count;
}
