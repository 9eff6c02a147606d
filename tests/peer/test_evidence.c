// SPDX-License-Identifier: MIT

// What a recording holds once states differed.

#define _DEFAULT_SOURCE // gethostname

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/runner.h"
#include "peer/peer_inspect.h"
#include "peer/some_records.h"

enum { FLIPPED = offsetof(some_state, lives), FLIP_TICK = 120, STATE_MAX = 131072, US = 1000000 };

static bks_tick match_ticks = 300;
static bool keeps_rollbacks = true;

static void tune_match(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->session.ticks = match_ticks;
    config->record_detail.rollbacks = keeps_rollbacks;
}

/// A match of two, in which a byte of peer 1 flips once.
static void play(bks_tick flip_tick)
{
    match_ticks = match_ticks > flip_tick ? match_ticks : flip_tick + 180;
    net_create(&network, 2, tune_match);
    const bksi_flip flip = {.tick = flip_tick, .offset = FLIPPED, .is_once = true};
    if (flip_tick != BKS_TICK_NONE) {
        bksi_peer_flip(network.peers[1].peer, &flip);
    }
    (void)net_run_to_end(&network, 60000 * NET_MS);
}

/// An evidence, taken apart.
typedef struct found {
    bks_replay_evidence head;
    char text[128];
    bks_replay_pair environment[16];
    uint32_t environment_count;
    uint32_t blocks;
    uint64_t offset; ///< of the first block
    uint8_t own[64], peer[64];
    uint8_t state[STATE_MAX];
    size_t state_bytes;
    uint32_t state_parts;
    uint32_t hashed_ticks;
    bool has_hashes; ///< of the tick
    uint8_t hashes[64];
} found;

static bool take_part(void *context, const bks_evidence_part *part)
{
    found *f = context;
    switch (part->kind) {
    case BKS_EVIDENCE_TEXT:
        snprintf(f->text, sizeof(f->text), "%s", part->text);
        break;
    case BKS_EVIDENCE_ENVIRONMENT:
        snprintf(f->environment[f->environment_count].name, 64, "%s", part->name);
        snprintf(f->environment[f->environment_count++].value, 64, "%.63s", part->text);
        break;
    case BKS_EVIDENCE_BLOCK:
        assert_int_equal(part->count, 64);
        if (f->blocks++ == 0) {
            f->offset = part->offset_bytes;
            memcpy(f->own, part->own, 64);
            memcpy(f->peer, part->peer, 64);
        }
        break;
    case BKS_EVIDENCE_STATE:
        assert_true(part->offset_bytes + part->count <= STATE_MAX);
        memcpy(f->state + part->offset_bytes, part->own, part->count);
        f->state_bytes += part->count;
        f->state_parts++;
        break;
    case BKS_EVIDENCE_PAGES:
        f->hashed_ticks++;
        if (part->tick == f->head.tick) {
            f->has_hashes = true;
            memcpy(f->hashes, part->hashes, part->count * 4 < 64 ? part->count * 4 : 64);
        }
        break;
    }
    return true;
}

static const found *take(bks_replay *replay, uint32_t index)
{
    static found kept[2];
    found *f = &kept[index];
    memset(f, 0, sizeof(*f));
    assert_int_equal(bks_replay_evidence_at(replay, index, &f->head), BKS_OK);
    assert_int_equal(bks_replay_evidence_parts(replay, index, take_part, f), BKS_OK);
    return f;
}

static void a_match_without_a_desync_holds_none(void **context)
{
    (void)context;
    match_ticks = 300;
    play(BKS_TICK_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        assert_int_equal(bks_replay_info(replay)->evidence_count, 0);
        assert_int_equal(bks_replay_info(replay)->evidence_bytes, 0);
        assert_int_equal(bks_replay_info(replay)->log_count, 0);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

enum { LISTED_MAX = 512 };

/// Play a match, and list the rollbacks in the recording of peer 0.
static uint32_t list_rollbacks(bool are_kept, bks_tick flip_tick, bks_replay_rollback *out)
{
    keeps_rollbacks = are_kept;
    play(flip_tick);
    keeps_rollbacks = true;
    bks_replay *replay = open_record(0);
    const uint32_t count = bks_replay_info(replay)->rollback_count;
    assert_true(count <= LISTED_MAX);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(bks_replay_rollback_at(replay, i, &out[i]), BKS_OK);
    }
    bks_replay_close(replay);
    net_destroy(&network);
    return count;
}

static void rollbacks_are_recorded_unasked_once_states_differ(void **context)
{
    (void)context;
    static bks_replay_rollback kept[LISTED_MAX], unasked[LISTED_MAX];
    match_ticks = 300;
    assert_int_equal(list_rollbacks(false, BKS_TICK_NONE, unasked), 0);
    const uint32_t count = list_rollbacks(true, FLIP_TICK, kept);
    assert_true(count > 20 && kept[0].present < FLIP_TICK / 2);
    assert_int_equal(list_rollbacks(false, FLIP_TICK, unasked), count);
    assert_memory_equal(unasked, kept, count * sizeof(kept[0]));
}

/// All is in the file soon after the difference, even if the peer that could say what differs never
/// answers.
static void a_kill_two_seconds_after_the_difference_loses_nothing(void **context)
{
    (void)context;
    for (uint32_t is_deaf = 0; is_deaf < 2; is_deaf++) {
        keeps_rollbacks = false;
        match_ticks = 600;
        net_create(&network, 2, tune_match);
        const bksi_flip flip = {.tick = FLIP_TICK, .offset = FLIPPED, .is_once = true};
        bksi_peer_flip(network.peers[1].peer, &flip);
        while (network.peers[0].events[BKS_EVENT_DESYNC] == 0) {
            net_run_until(&network, network.now_ns + 10 * NET_MS);
        }
        if (is_deaf) {
            network.peers[1].is_frozen = true;
        }
        net_run_until(&network, network.now_ns + 1700 * NET_MS);
        keeps_rollbacks = true;
        bks_replay *replay = open_record(0);
        assert_int_equal(bks_replay_info(replay)->evidence_count, 1);
        const found *f = take(replay, 0);
        assert_int_equal(f->state_bytes, f->head.own_bytes);
        assert_true(f->state_bytes > 0);
        assert_int_equal(f->blocks, is_deaf ? 0 : 1);
        assert_true(bks_replay_info(replay)->rollback_count > 10);
        assert_true(bks_replay_info(replay)->log_count > 0);
        bks_replay_close(replay);
        net_destroy(&network);
    }
}

static uint64_t hash_state(const uint8_t *state, size_t count)
{
    uint64_t pages[STATE_MAX / 4096];
    size_t n = 0;
    for (size_t at = 0; at < count; at += 4096) {
        pages[n++] = bks_page_hash(state + at, count - at < 4096 ? count - at : 4096);
    }
    return bks_pages_hash(pages, n, count);
}

static void both_hold_the_bytes_that_differ_and_their_state(void **context)
{
    (void)context;
    match_ticks = 300;
    play(FLIP_TICK);
    found both[2];
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        assert_int_equal(bks_replay_info(replay)->evidence_count, 1);
        both[i] = *take(replay, 0);
        const found *f = &both[i];
        assert_int_equal(f->head.peer, 1 - i);
        assert_int_equal(f->head.tick, network.peers[i].last[BKS_EVENT_NAMED].tick);
        assert_string_equal(f->text, network.peers[i].last[BKS_EVENT_NAMED].text);
        assert_int_equal(f->state_parts, 1);
        assert_int_equal(f->state_bytes, f->head.own_bytes);
        assert_int_equal(f->head.peer_bytes, f->head.own_bytes);
        assert_memory_equal(f->state + f->offset, f->own, 64);
        uint64_t hash = 0;
        uint32_t bits = 0;
        assert_int_equal(bks_replay_hash(replay, f->head.tick, &hash, &bits), BKS_OK);
        assert_true(
            bks_replay_hash_agrees(replay, f->head.tick, hash_state(f->state, f->state_bytes)));
        assert_true(f->has_hashes);
        const uint64_t page = bks_page_hash(f->state, 4096);
        for (uint32_t k = 0; k < 4; k++) {
            assert_int_equal(f->hashes[k], (uint8_t)(page >> 8 * k));
        }
        assert_in_range(f->hashed_ticks, 2, 65);
        bks_replay_close(replay);
    }
    assert_int_equal(both[0].offset, FLIPPED / 64 * 64);
    assert_int_equal(both[0].blocks, 1);
    assert_memory_equal(both[0].own, both[1].peer, 64);
    assert_memory_equal(both[1].own, both[0].peer, 64);
    assert_int_equal(both[0].own[FLIPPED % 64] ^ both[0].peer[FLIPPED % 64], 1);
    net_destroy(&network);
}

static const char *value_of(const found *f, const char *name)
{
    for (uint32_t i = 0; i < f->environment_count; i++) {
        if (strcmp(f->environment[i].name, name) == 0) {
            return f->environment[i].value;
        }
    }
    return "";
}

static bool holds(const uint8_t *bytes, size_t count, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= count; i++) {
        if (memcmp(bytes + i, text, length) == 0) {
            return true;
        }
    }
    return false;
}

static void it_holds_the_machine_and_no_name(void **context)
{
    (void)context;
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
    assert_int_equal(setenv("TZ", "Asia/Kathmandu", 1), 0);
    match_ticks = 300;
    play(FLIP_TICK);
    bks_replay *replay = open_record(0);
    const found *f = take(replay, 0);
    assert_non_null(strstr(value_of(f, "locale"), "numbers C"));
    assert_non_null(strstr(value_of(f, "time_zone"), "s"));
    assert_non_null(strstr(value_of(f, "os"), "Linux"));
    assert_non_null(strstr(value_of(f, "floats"), "control"));
    assert_true(strlen(value_of(f, "program_build")) >= 16);
    for (uint32_t i = 0; i < f->environment_count; i++) {
        const char *value = f->environment[i].value;
        assert_null(strchr(value, '/') != NULL && strcmp(f->environment[i].name, "time_zone") != 0
                        ? value
                        : NULL);
        assert_true(strlen(host) < 4 || strstr(value, host) == NULL);
    }
    bks_replay_close(replay);
    assert_false(holds(network.peers[0].record.bytes, network.peers[0].record.count, "Kathmandu"));
    net_destroy(&network);
    assert_int_equal(unsetenv("TZ"), 0);
}

// ---- the log ----

typedef struct log_sums {
    uint32_t count;
    uint32_t kinds[BKS_ENTRY_EVENT + 1];
    uint64_t first_us, last_us;
    bool is_in_order;
    bks_tick first_step, last_step;
    uint32_t new_steps;
    bks_log_entry rollbacks[4096];
    uint32_t hashes[2048]; ///< by tick, the last
    bool saw_desync;
} log_sums;

static bool sum_up(void *context, const bks_log_entry *entry)
{
    log_sums *s = context;
    s->first_us = s->count == 0 ? entry->time_us : s->first_us;
    s->is_in_order = s->count == 0 || (s->is_in_order && entry->time_us >= s->last_us);
    s->last_us = entry->time_us;
    s->count++;
    if (entry->kind == BKS_ENTRY_ROLLBACK && s->kinds[entry->kind] < 4096) {
        s->rollbacks[s->kinds[entry->kind]] = *entry;
    }
    s->kinds[entry->kind]++;
    if (entry->kind == BKS_ENTRY_STEP && entry->reason == 0) {
        s->first_step = s->new_steps == 0 ? entry->tick : s->first_step;
        s->last_step = entry->tick;
        s->new_steps++;
    }
    if (entry->kind == BKS_ENTRY_HASH && entry->tick < 2048) {
        s->hashes[entry->tick] = entry->value;
    }
    s->saw_desync =
        s->saw_desync || (entry->kind == BKS_ENTRY_EVENT && entry->value == BKS_EVENT_DESYNC);
    return true;
}

static const log_sums *sum_log(bks_replay *replay)
{
    static log_sums s;
    memset(&s, 0, sizeof(s));
    assert_int_equal(bks_replay_log(replay, sum_up, &s), BKS_OK);
    assert_int_equal(s.count, bks_replay_info(replay)->log_count);
    assert_true(s.is_in_order);
    return &s;
}

static void the_log_holds_each_tick_and_each_rollback(void **context)
{
    (void)context;
    match_ticks = 300;
    play(FLIP_TICK);
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        const log_sums *s = sum_log(replay);
        assert_true(s->saw_desync);
        assert_int_equal(s->first_step, 0);
        assert_int_equal(s->new_steps, s->last_step + 1);
        assert_int_equal(s->kinds[BKS_ENTRY_SAMPLED] > 0, true);
        assert_in_range(s->kinds[BKS_ENTRY_SENT], s->new_steps / 2, 2 * s->new_steps);
        assert_in_range(s->kinds[BKS_ENTRY_CAME], s->new_steps / 2, 2 * s->new_steps);
        assert_true(s->kinds[BKS_ENTRY_INPUTS] > s->new_steps / 2);
        // As the recording itself has them.
        const bks_recording *info = bks_replay_info(replay);
        assert_true(s->kinds[BKS_ENTRY_ROLLBACK] >= 10);
        assert_true(s->kinds[BKS_ENTRY_WRONG] >= s->kinds[BKS_ENTRY_ROLLBACK]);
        assert_true(s->kinds[BKS_ENTRY_LOAD] >= s->kinds[BKS_ENTRY_ROLLBACK]);
        assert_true(s->kinds[BKS_ENTRY_SAVE] > 0);
        for (uint32_t r = 0; r < s->kinds[BKS_ENTRY_ROLLBACK]; r++) {
            bks_replay_rollback rollback = {0};
            assert_true(r < info->rollback_count);
            assert_int_equal(bks_replay_rollback_at(replay, r, &rollback), BKS_OK);
            assert_int_equal(s->rollbacks[r].tick, rollback.from);
            assert_int_equal(s->rollbacks[r].value, rollback.present - rollback.from);
            assert_int_equal(s->rollbacks[r].number, 1 - i);
        }
        for (bks_tick tick = 1; tick < FLIP_TICK + 10; tick++) {
            uint64_t hash = 0;
            uint32_t bits = 0;
            assert_int_equal(bks_replay_hash(replay, tick, &hash, &bits), BKS_OK);
            assert_int_equal((hash ^ s->hashes[tick]) & 0xFFFF, 0);
        }
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void the_log_is_of_ten_seconds(void **context)
{
    (void)context;
    match_ticks = 1200;
    play(1000);
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        const log_sums *s = sum_log(replay);
        assert_in_range(s->last_us - s->first_us, 9900000, 10000000);
        assert_in_range(s->last_us, 16 * US, 18 * US);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void a_match_that_ends_first_leaves_its_evidence_too(void **context)
{
    (void)context;
    match_ticks = 300;
    play(297);
    bks_replay *replay = open_record(0);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(network.peers[0].events[BKS_EVENT_DESYNC], 1);
    assert_int_equal(info->evidence_count, 1);
    assert_true(info->log_count > 0);
    assert_false(info->is_damaged);
    assert_true(take(replay, 0)->state_bytes > 0);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void writing_it_allocates_nothing(void **context)
{
    (void)context;
    match_ticks = 300;
    net_create(&network, 2, tune_match);
    const bksi_flip flip = {.tick = FLIP_TICK, .offset = FLIPPED, .is_once = true};
    bksi_peer_flip(network.peers[1].peer, &flip);
    net_run_until(&network, 1500 * NET_MS);
    const uint32_t before = network.peers[0].counter.allocs;
    assert_int_equal(network.peers[0].events[BKS_EVENT_NAMED], 0);
    net_run_until(&network, 4500 * NET_MS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_NAMED], 1);
    assert_int_equal(network.peers[0].counter.allocs, before);
    net_destroy(&network);
}

static void a_full_disk_ends_the_recording_alone(void **context)
{
    (void)context;
    match_ticks = 300;
    net_create(&network, 2, tune_match);
    const bksi_flip flip = {.tick = FLIP_TICK, .offset = FLIPPED, .is_once = true};
    bksi_peer_flip(network.peers[1].peer, &flip);
    while (network.peers[0].events[BKS_EVENT_DESYNC] == 0) {
        net_run_until(&network, network.now_ns + 10 * NET_MS);
    }
    network.peers[0].record.fail_from = network.peers[0].record.writes;
    (void)net_run_to_end(&network, 20000 * NET_MS);
    assert_int_equal(network.peers[0].events[BKS_EVENT_NAMED], 1);
    assert_int_equal(network.peers[0].tick, 300);
    net_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_without_a_desync_holds_none),
        cmocka_unit_test(rollbacks_are_recorded_unasked_once_states_differ),
        cmocka_unit_test(a_kill_two_seconds_after_the_difference_loses_nothing),
        cmocka_unit_test(both_hold_the_bytes_that_differ_and_their_state),
        cmocka_unit_test(it_holds_the_machine_and_no_name),
        cmocka_unit_test(the_log_holds_each_tick_and_each_rollback),
        cmocka_unit_test(the_log_is_of_ten_seconds),
        cmocka_unit_test(a_match_that_ends_first_leaves_its_evidence_too),
        cmocka_unit_test(writing_it_allocates_nothing),
        cmocka_unit_test(a_full_disk_ends_the_recording_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
