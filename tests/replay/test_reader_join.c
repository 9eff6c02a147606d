// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_tail.h"

#define TICKS 400

/// Ticks between keyframes. One in sixteen is whole: the second whole one is at tick 80.
static const bks_replay_detail dense = {
    .chunk_ticks = 16, .keyframe_ticks = 5, .keyframe_bytes = 1u << 30};

static memory_file file;

static int record_all(void **state)
{
    (void)state;
    memory_file_init(&file);
    file.keeps_writes = true;
    walk_record_with(&file, TICKS, true, &dense);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    memory_file_free(&file);
    return 0;
}

/// Return the file as it was after `writes` writes, in memory of exactly its size.
static memory_file after(size_t writes)
{
    memory_file then;
    memory_file_init(&then);
    for (size_t i = 0; i < writes; i++) {
        memory_file_apply(&then, &file.writes[i], file.writes[i].count);
    }
    return then;
}

static void a_growing_file_is_read_as_it_grows(void **state)
{
    (void)state;
    memory_file then = after(1);
    bks_replay_piece piece = {.bytes = then.bytes, .count = then.count};
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open_growing(&piece, 1, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_int_equal(info->ticks, 0);
    assert_int_equal(info->chunk_ticks, 0);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    bks_tick newest = 0;
    uint32_t grown = 0;
    for (size_t w = 2; w <= file.write_count; w += 3) {
        memory_file_free(&then);
        then = after(w); // at another address each time
        piece = (bks_replay_piece){.bytes = then.bytes, .count = then.count};
        assert_int_equal(bks_replay_refresh(replay, &piece, 1, NULL), BKS_OK);
        assert_true(info->ticks >= newest);
        assert_int_equal(info->confirmed, info->ticks); // guessed ticks are not passed on
        grown += info->ticks > newest;
        newest = info->ticks;
        while (bks_playback_step(playback) == BKS_OK) {
        }
        assert_int_equal(bks_playback_tick(playback), newest);
        assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[newest]);
    }
    assert_true(grown > TICKS / 32);
    memory_file_free(&then);
    piece = (bks_replay_piece){.bytes = file.bytes, .count = file.count};
    assert_int_equal(bks_replay_refresh(replay, &piece, 1, NULL), BKS_OK);
    assert_true(info->is_complete);
    assert_int_equal(info->ticks, TICKS);
    assert_int_equal(info->chunk_ticks, dense.chunk_ticks);
    walk_assert_true(replay);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
}

static void half_a_record_is_waited_for(void **state)
{
    (void)state;
    bks_replay *replay = NULL;
    bks_replay_piece piece = {.bytes = file.bytes, .count = 0};
    assert_int_equal(bks_replay_open_growing(&piece, 1, NULL, &replay, NULL), BKS_ERR_INCOMPLETE);
    bks_tick newest = 0;
    const size_t step = 7;
    for (size_t count = 0; count <= file.count; count += step) {
        piece.count = count;
        if (replay == NULL) {
            const bks_status status = bks_replay_open_growing(&piece, 1, NULL, &replay, NULL);
            assert_true(status == BKS_OK || status == BKS_ERR_INCOMPLETE);
            continue;
        }
        assert_int_equal(bks_replay_refresh(replay, &piece, 1, NULL), BKS_OK);
        assert_true(bks_replay_info(replay)->ticks >= newest);
        newest = bks_replay_info(replay)->ticks;
    }
    assert_int_equal(newest, TICKS);
    bks_replay_close(replay);
    // A record whose last bytes have not arrived yet.
    uint8_t *copy = calloc(file.count, 1);
    assert_non_null(copy);
    const size_t known = file.count - 30; // within DONE
    memcpy(copy, file.bytes, known);
    piece = (bks_replay_piece){.bytes = copy, .count = file.count};
    assert_int_equal(bks_replay_open_growing(&piece, 1, NULL, &replay, NULL), BKS_OK);
    assert_false(bks_replay_info(replay)->is_complete);
    memcpy(copy, file.bytes, file.count);
    assert_int_equal(bks_replay_refresh(replay, &piece, 1, NULL), BKS_OK);
    assert_true(bks_replay_info(replay)->is_complete);
    bks_replay_close(replay);
    free(copy);
}

static void damage_in_a_growing_file_is_passed_over(void **state)
{
    (void)state;
    const size_t at = file.count / 2;
    file.bytes[at] ^= 0x20;
    bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open_growing(&piece, 1, NULL, &replay, NULL), BKS_ERR_DAMAGED);
    assert_non_null(replay);
    assert_int_equal(bks_replay_info(replay)->end, TICKS);
    walk_assert_true(replay);
    bks_replay_close(replay);
}

/// The other side: the file as it is now, and the pieces fetched of it.
typedef struct remote {
    memory_file now;
    bks_replay_piece pieces[BKS_REPLAY_PIECES_MAX];
    uint32_t count;
    uint64_t fetched_bytes;
} remote;

static void fetch(remote *r, uint64_t offset, uint64_t count)
{
    assert_true(r->count < BKS_REPLAY_PIECES_MAX);
    assert_true(offset <= r->now.count);
    const uint64_t left = r->now.count - offset;
    bks_replay_piece *piece = &r->pieces[r->count++];
    // A piece that is fetched again replaces the old one.
    if (r->count > 1 && r->pieces[r->count - 2].offset_bytes == offset) {
        piece = &r->pieces[--r->count - 1];
        free((void *)piece->bytes);
    }
    piece->offset_bytes = offset;
    piece->count = (size_t)(count == 0 || count > left ? left : count);
    uint8_t *bytes = malloc(piece->count + 1);
    assert_non_null(bytes);
    memcpy(bytes, r->now.bytes + offset, piece->count);
    piece->bytes = bytes;
    r->fetched_bytes += piece->count;
}

static void release(remote *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        free((void *)r->pieces[i].bytes);
    }
    memory_file_free(&r->now);
}

/// Join the match after `writes` writes.
static bks_replay *join(remote *r, size_t writes)
{
    *r = (remote){.now = after(writes)};
    bks_replay_range want = {0};
    bks_status status = BKS_ERR_INCOMPLETE;
    for (uint32_t tries = 0; status == BKS_ERR_INCOMPLETE; tries++) {
        assert_true(tries < 4);
        status = bks_replay_plan(r->pieces, r->count, &want, NULL);
        if (status == BKS_ERR_INCOMPLETE) {
            fetch(r, want.offset_bytes, want.count);
        }
    }
    assert_int_equal(status, BKS_OK);
    assert_int_equal(want.count, 0);
    if (want.offset_bytes == 0) {
        release(r);
        *r = (remote){.now = after(writes)};
    }
    fetch(r, want.offset_bytes, want.count);
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open_growing(r->pieces, r->count, NULL, &replay, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return replay;
}

static void latecomer_needs_the_newest_whole_keyframe_and_what_follows(void **state)
{
    (void)state;
    uint32_t joined_late = 0;
    for (size_t w = 1; w < file.write_count; w += 5) {
        remote r;
        bks_replay *replay = join(&r, w);
        const bks_recording *info = bks_replay_info(replay);
        bks_playback *playback = NULL;
        const bks_playback_config config = {.replay = replay, .game = &walk_game};
        joined_late += info->first > 0;
        assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
        assert_true(bks_playback_tick(playback) >= info->first);
        assert_true(bks_playback_hash(playback) ==
                    walk_what_happened()->hashes[bks_playback_tick(playback)]);
        while (bks_playback_step(playback) == BKS_OK) {
        }
        if (bks_playback_tick(playback) < info->end) {
            fail_msg("stopped at %d of %d", bks_playback_tick(playback), info->end);
        }
        assert_true(bks_playback_hash(playback) ==
                    walk_what_happened()->hashes[bks_playback_tick(playback)]);
        // Follow the match as more arrives.
        const uint32_t last = r.count - 1;
        const uint64_t offset = r.pieces[last].offset_bytes;
        bks_replay_piece pieces[BKS_REPLAY_PIECES_MAX];
        memcpy(pieces, r.pieces, sizeof(pieces));
        pieces[last].bytes = file.bytes + offset;
        pieces[last].count = (size_t)(file.count - offset);
        assert_int_equal(bks_replay_refresh(replay, pieces, r.count, NULL), BKS_OK);
        assert_true(info->is_complete);
        assert_int_equal(info->end, TICKS);
        while (bks_playback_step(playback) == BKS_OK) {
        }
        assert_int_equal(bks_playback_tick(playback), TICKS);
        assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[TICKS]);
        walk_assert_true(replay);
        bks_playback_destroy(playback);
        bks_replay_close(replay);
        release(&r);
    }
    assert_true(joined_late > 60);
}

static void joining_late_costs_no_more_the_later_it_is(void **state)
{
    (void)state;
    uint64_t most = 0;
    for (size_t w = file.write_count / 2; w + 10 < file.write_count; w += 5) {
        remote r;
        bks_replay *replay = join(&r, w);
        assert_true(bks_replay_info(replay)->first > 0);
        most = r.fetched_bytes > most ? r.fetched_bytes : most;
        bks_replay_close(replay);
        release(&r);
    }
    assert_true(most < file.count / 2);
}

static void slots_caught_while_written_are_asked_for_again(void **state)
{
    (void)state;
    memory_file now = after(file.write_count / 2);
    bks_replay_piece piece = {.bytes = now.bytes, .count = now.count};
    bks_replay_range want;
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_OK);
    assert_true(want.offset_bytes > 0);
    // Both slots are torn, which only a slow reader can see.
    bksi_record head;
    bksi_record stat;
    assert_int_equal(bksi_record_skim(&piece, BKSI_PREAMBLE_BYTES, &head), BKSI_RECORD_OK);
    assert_int_equal(bksi_record_skim(&piece, head.end, &stat), BKSI_RECORD_OK);
    const size_t slots = (size_t)bksi_tail_offset(stat.end);
    now.bytes[slots + 20] ^= 1;
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_OK); // one whole slot is enough
    now.bytes[slots + 2 * BKSI_BLOCK_BYTES + 20] ^= 1;
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_ERR_INCOMPLETE);
    assert_int_equal(want.offset_bytes, slots);
    assert_int_equal(want.count, 4 * BKSI_BLOCK_BYTES);
    memory_file_free(&now);
}

static void planning_refuses_what_cannot_be_joined(void **state)
{
    (void)state;
    bks_replay_range want;
    bks_replay_piece piece = {.bytes = "no replay at all, but some text", .count = 31};
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_ERR_UNSUPPORTED);
    assert_int_equal(bks_replay_plan(NULL, 1, &want, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_plan(&piece, 5, &want, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_plan(&piece, 1, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_plan(NULL, 0, &want, NULL), BKS_ERR_INCOMPLETE);
    assert_int_equal(want.offset_bytes, 0);
    size_t count = 0;
    uint8_t *old =
        read_whole_file(BKS_TEST_SOURCE_DIR "/tests/golden/replay_1/stopped.bks", &count);
    piece = (bks_replay_piece){.bytes = old, .count = count};
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_ERR_UNSUPPORTED);
    free(old);
    uint8_t *copy = malloc(file.count);
    assert_non_null(copy);
    memcpy(copy, file.bytes, file.count);
    copy[60] ^= 1;
    piece = (bks_replay_piece){.bytes = copy, .count = file.count};
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_ERR_DAMAGED);
    free(copy);
    // A HEAD record that is not complete in the front tells its length.
    piece = (bks_replay_piece){.bytes = file.bytes, .count = 100};
    assert_int_equal(bks_replay_plan(&piece, 1, &want, NULL), BKS_ERR_INCOMPLETE);
    assert_int_equal(want.offset_bytes, 0);
    assert_in_range(want.count, 200, 600);
}

static void pieces_out_of_order_are_refused(void **state)
{
    (void)state;
    bks_replay *replay = NULL;
    bks_replay_piece pieces[2] = {{.bytes = file.bytes, .count = 1000},
                                  {.offset_bytes = 0, .bytes = file.bytes, .count = 10}};
    assert_int_equal(bks_replay_open_growing(pieces, 2, NULL, &replay, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_open_growing(pieces, 0, NULL, &replay, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_open_growing(NULL, 1, NULL, &replay, NULL), BKS_ERR_BAD_ARGUMENT);
    pieces[0].offset_bytes = 1;
    assert_int_equal(bks_replay_open_growing(pieces, 1, NULL, &replay, NULL), BKS_ERR_BAD_ARGUMENT);
    pieces[0] = (bks_replay_piece){.bytes = file.bytes, .count = file.count};
    assert_int_equal(bks_replay_open_growing(pieces, 1, NULL, &replay, NULL), BKS_OK);
    pieces[0].count--;
    assert_int_equal(bks_replay_refresh(replay, pieces, 1, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_refresh(NULL, pieces, 1, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_replay_close(replay);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    pieces[0].count = file.count;
    assert_int_equal(bks_replay_refresh(replay, pieces, 1, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_replay_close(replay);
}

/// Return the offset at which a reader must begin for a keyframe.
static uint64_t start_of(const bks_replay_keyframe *key)
{
    const bks_replay_piece whole = {.bytes = file.bytes, .count = file.count};
    bksi_record record;
    bksi_keyframe keyframe;
    assert_int_equal(bksi_record_read(&whole, key->offset_bytes, &record), BKSI_RECORD_OK);
    assert_true(bksi_keyframe_read(&keyframe, record.payload, record.payload_bytes));
    return keyframe.start;
}

static void a_reader_with_all_from_its_start_on_has_a_keyframe_and_its_ticks(void **state)
{
    (void)state;
    const walk_truth *truth = walk_what_happened();
    bks_replay *whole = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &whole, NULL), BKS_OK);
    uint64_t before = 0;
    for (uint32_t i = 0; i < bks_replay_info(whole)->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(whole, i, &key), BKS_OK);
        const uint64_t start = start_of(&key);
        assert_int_equal(start > before, key.is_whole); // the newest whole one's
        before = start;
        const bks_replay_piece pieces[2] = {
            {.bytes = file.bytes, .count = 1000},
            {start, file.bytes + start, file.count - (size_t)start}};
        bks_replay *replay = NULL;
        assert_int_equal(bks_replay_open_growing(pieces, 2, NULL, &replay, NULL), BKS_OK);
        const bks_playback_config config = {.replay = replay, .game = &walk_game};
        bks_playback *playback = NULL;
        assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
        assert_int_equal(bks_playback_seek(playback, key.tick, NULL), BKS_OK);
        assert_true(bks_playback_hash(playback) == truth->hashes[key.tick]);
        assert_int_equal(bks_playback_seek(playback, TICKS, NULL), BKS_OK);
        assert_true(bks_playback_hash(playback) == truth->hashes[TICKS]);
        bks_playback_destroy(playback);
        bks_replay_close(replay);
    }
    bks_replay_close(whole);
}

static void a_reader_that_begins_at_any_record_reads_nothing_wrong(void **state)
{
    (void)state;
    const bks_replay_piece whole = {.bytes = file.bytes, .count = file.count};
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    bks_replay_keyframe first;
    assert_int_equal(bks_replay_keyframe_at(replay, 0, &first), BKS_OK);
    bks_replay_close(replay);
    bksi_record record;
    uint32_t with_ticks = 0;
    for (uint64_t at = start_of(&first); at < file.count; at = record.end) {
        assert_int_equal(bksi_record_read(&whole, at, &record), BKSI_RECORD_OK);
        const bks_replay_piece pieces[2] = {{.bytes = file.bytes, .count = 1000},
                                            {at, file.bytes + at, file.count - (size_t)at}};
        assert_int_equal(bks_replay_open_growing(pieces, 2, NULL, &replay, NULL), BKS_OK);
        const bks_recording *info = bks_replay_info(replay);
        with_ticks += info->ticks > info->first;
        walk_assert_true(replay);
        bks_replay_close(replay);
    }
    assert_true(with_ticks > 50);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, record_all, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(a_growing_file_is_read_as_it_grows),
        WITH_FILE(half_a_record_is_waited_for),
        WITH_FILE(damage_in_a_growing_file_is_passed_over),
        WITH_FILE(latecomer_needs_the_newest_whole_keyframe_and_what_follows),
        WITH_FILE(a_reader_with_all_from_its_start_on_has_a_keyframe_and_its_ticks),
        WITH_FILE(a_reader_that_begins_at_any_record_reads_nothing_wrong),
        WITH_FILE(joining_late_costs_no_more_the_later_it_is),
        WITH_FILE(slots_caught_while_written_are_asked_for_again),
        WITH_FILE(planning_refuses_what_cannot_be_joined),
        WITH_FILE(pieces_out_of_order_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
