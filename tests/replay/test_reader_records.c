// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "base/bytes.h"
#include "recording.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_tail.h"

#define TICKS 120

/// Short chunks, and a keyframe every four ticks whatever it takes: those of 4 and 68 are whole,
/// and the chunks 0..3, 4..19, 20..35, 36..51, 52..67, 68..83 …
#define EVERY 4
static const bks_replay_detail dense = {
    .chunk_ticks = 16,
    .keyframe_ticks = EVERY,
    .keyframe_bytes = 1u << 30,
    .page_hashes = true,
    .rollbacks = true,
    .values = true,
};
#define KEYS ((uint32_t)TICKS / EVERY)

static memory_file file;
static bks_replay *replay;

static int record_all(void **state)
{
    (void)state;
    memory_file_init(&file);
    walk_record_with(&file, TICKS, true, &dense);
    return 0;
}

static int forget(void **state)
{
    (void)state;
    bks_replay_close(replay);
    replay = NULL;
    memory_file_free(&file);
    return 0;
}

static const bks_recording *open_file(bks_status wanted)
{
    bks_replay_close(replay);
    bks_error error = {0};
    const bks_status status = bks_replay_open(file.bytes, file.count, NULL, &replay, &error);
    if (status != wanted) {
        print_error("%s: %s\n", bks_status_name(status), error.text);
        fail();
    }
    return bks_replay_info(replay);
}

/// Find the nth record of a type.
static bksi_record find(uint32_t type, uint32_t n)
{
    const bks_replay_piece piece = {.bytes = file.bytes, .count = file.count};
    uint64_t offset = BKSI_PREAMBLE_BYTES;
    bksi_record record;
    for (;;) {
        offset = bksi_record_skim(&piece, offset, &record) == BKSI_RECORD_OK
                     ? offset
                     : bksi_record_find(&piece, offset);
        assert_int_equal(bksi_record_skim(&piece, offset, &record), BKSI_RECORD_OK);
        if (record.type == type && n-- == 0) {
            return record;
        }
        offset = record.end;
    }
}

static void spoil(const bksi_record *record)
{
    file.bytes[record->offset + BKSI_RECORD_HEAD_BYTES + 3] ^= 0x10;
}

static void finish_again(const bksi_record *record)
{
    (void)bksi_record_finish(file.bytes + record->offset, record->type, record->payload_bytes,
                             record->offset);
}

/// Step from every usable keyframe to the end of its ticks, and compare with the truth.
static bks_tick play_all(void)
{
    const walk_truth *truth = walk_what_happened();
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    bks_tick reached = 0;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    for (bks_tick tick = 0; tick <= info->end; tick++) {
        const bks_status status = bks_playback_seek(playback, tick, NULL);
        assert_true(status == BKS_OK || status == BKS_ERR_DAMAGED);
        if (status == BKS_OK) {
            reached++;
            assert_int_equal(bks_playback_tick(playback), tick);
            assert_true(bks_playback_hash(playback) == truth->hashes[tick]);
        }
    }
    bks_playback_destroy(playback);
    return reached;
}

static void a_whole_recording_lists_all_it_holds(void **state)
{
    (void)state;
    const bks_recording *info = open_file(BKS_OK);
    assert_true(info->is_complete);
    assert_int_equal(info->ticks, TICKS);
    assert_int_equal(info->keyframes, KEYS);
    assert_in_range(info->keyframe_bytes, 1000, file.count);
    assert_int_equal(info->event_count, 5);
    assert_int_equal(bks_replay_check(replay, NULL), BKS_OK);
    walk_assert_true(replay);
    for (uint32_t i = 0; i < 5; i++) {
        bks_replay_event event;
        assert_int_equal(bks_replay_event_at(replay, i, &event), BKS_OK);
        assert_int_equal(event.kind, i);
        assert_int_equal(event.tick, 5 * (i + 1));
        assert_true(event.b == UINT64_MAX);
        assert_string_equal(event.text, "as it happened");
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        assert_int_equal(key.tick, EVERY * (i + 1));
        assert_int_equal(key.is_whole, i % 16 == 0);
        assert_true(key.is_usable);
        assert_int_equal(key.state_bytes, sizeof(walk_state));
    }
    assert_int_equal(play_all(), TICKS + 1);
}

/// Check the next span of ticks that the recording holds from a tick on. All of it is final.
static void expect_ticks(bks_tick from, bks_tick first, bks_tick end)
{
    bks_replay_ticks ticks;
    assert_int_equal(bks_replay_ticks_from(replay, from, &ticks), BKS_OK);
    assert_int_equal(ticks.first, first);
    assert_int_equal(ticks.confirmed, end);
    assert_int_equal(ticks.end, end);
}

static void damaged_ticks_are_reported_and_play_resumes_at_a_keyframe(void **state)
{
    (void)state;
    // The chunk is needed for all up to the next whole keyframe.
    const bksi_record lost = find(BKSI_RECORD_TICKS, 2);
    spoil(&lost);
    const bks_recording *info = open_file(BKS_ERR_DAMAGED);
    assert_false(info->is_complete);
    assert_int_equal(info->damage_offset_bytes, lost.offset);
    assert_int_equal(info->ticks, 20);
    assert_int_equal(info->confirmed, 20);
    assert_int_equal(info->end, TICKS);
    assert_int_equal(info->lost_count, 1);
    bks_replay_lost found;
    assert_int_equal(bks_replay_lost_at(replay, 0, &found), BKS_OK);
    assert_int_equal(found.offset_bytes, lost.offset);
    assert_int_equal(found.bytes, lost.end - lost.offset);
    assert_int_equal(found.first, 20);
    assert_int_equal(found.ticks, 48);
    expect_ticks(0, 0, 20);
    expect_ticks(19, 19, 20);
    expect_ticks(20, 68, TICKS);
    expect_ticks(70, 70, TICKS);
    bks_replay_ticks none;
    assert_int_equal(bks_replay_ticks_from(replay, TICKS, &none), BKS_OVER);
    int32_t values[WALK_VALUES];
    assert_int_equal(bks_replay_inputs(replay, 20, values), BKS_ERR_DAMAGED);
    assert_int_equal(bks_replay_inputs(replay, 67, values), BKS_ERR_DAMAGED);
    assert_int_equal(bks_replay_inputs(replay, 68, values), BKS_OK);
    walk_assert_true(replay);
    // Play up to the gap, at the keyframes within it, and from the one behind it on.
    assert_int_equal(play_all(), 21 + 11 + (TICKS + 1 - 68));
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_playback *playback = NULL;
    bks_error error = {0};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, 45, &error), BKS_ERR_DAMAGED);
    assert_non_null(strstr(error.text, "tick 45 cannot be reached: ticks before 45 are lost"));
    bks_playback_destroy(playback);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_DAMAGED);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, 20 + TICKS - 68);
}

static void damage_behind_which_no_tick_is_missing_loses_none(void **state)
{
    (void)state;
    const bksi_record event = find(BKSI_RECORD_EVENT, 1);
    spoil(&event);
    const bks_recording *info = open_file(BKS_ERR_DAMAGED);
    assert_int_equal(info->ticks, TICKS);
    assert_int_equal(info->end, TICKS);
    assert_int_equal(info->event_count, 4);
    assert_int_equal(info->lost_count, 1);
    bks_replay_lost found;
    assert_int_equal(bks_replay_lost_at(replay, 0, &found), BKS_OK);
    assert_int_equal(found.ticks, 0);
    assert_int_equal(play_all(), TICKS + 1);
}

static void keyframes_that_depend_on_a_lost_one_are_not_used(void **state)
{
    (void)state;
    const bksi_record lost = find(BKSI_RECORD_KEYFRAME, 3);
    spoil(&lost);
    const bks_recording *info = open_file(BKS_ERR_DAMAGED);
    assert_int_equal(info->keyframes, KEYS - 1);
    for (uint32_t i = 0; i < KEYS - 1; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        assert_int_equal(key.is_usable, i < 3 || i >= 15); // up to the next whole one
    }
    walk_assert_true(replay);
    assert_int_equal(play_all(), TICKS + 1);
}

static void changed_byte_of_any_record_is_passed_over(void **state)
{
    (void)state;
    for (size_t i = (size_t)find(BKSI_RECORD_TICKS, 0).offset; i < file.count; i++) {
        file.bytes[i] ^= 0x04;
        const bks_recording *info = open_file(BKS_ERR_DAMAGED);
        assert_true(info->damage_offset_bytes <= i);
        assert_int_equal(info->lost_count, 1);
        bks_replay_lost lost;
        assert_int_equal(bks_replay_lost_at(replay, 0, &lost), BKS_OK);
        assert_true(lost.offset_bytes <= i);
        assert_true(i < lost.offset_bytes + lost.bytes);
        assert_in_range(lost.ticks, 0, 64);
        if (i % 5 == 0) {
            walk_assert_true(replay);
        }
        if (i % 101 == 0) {
            assert_true(play_all() > TICKS - 64);
        }
        file.bytes[i] ^= 0x04;
    }
}

static void records_swapped_or_doubled_are_passed_over(void **state)
{
    (void)state;
    // Append a copy of a record, whose checks do not fit its new offset.
    const bksi_record first = find(BKSI_RECORD_TICKS, 0);
    const bksi_record second = find(BKSI_RECORD_TICKS, 1);
    memmove(file.bytes + first.offset, file.bytes + second.offset,
            (size_t)(second.end - second.offset));
    const bks_recording *info = open_file(BKS_ERR_DAMAGED);
    assert_int_equal(info->ticks, 0);
    walk_assert_true(replay);
}

static void index_that_lies_is_damage(void **state)
{
    (void)state;
    const bksi_record index = find(BKSI_RECORD_INDEX, 0);
    uint8_t *payload = file.bytes + index.offset + BKSI_RECORD_HEAD_BYTES;
    assert_int_equal(index.payload_bytes, 8 + 13 * (KEYS + 3));
    // Change each number of each entry, and the offset of the index before.
    for (size_t i = 0; i < index.payload_bytes; i++) {
        payload[i] ^= 1;
        finish_again(&index);
        const bks_recording *info = open_file(BKS_ERR_DAMAGED);
        assert_int_equal(info->damage_offset_bytes, index.offset);
        assert_int_equal(info->ticks, TICKS);
        payload[i] ^= 1;
    }
    finish_again(&index);
    assert_true(open_file(BKS_OK)->is_complete);
    // An entry missing.
    bksi_record shorter = index;
    const bksi_record done = find(BKSI_RECORD_DONE, 0);
    uint8_t last[64];
    const size_t last_bytes = (size_t)(done.end - done.offset);
    memcpy(last, file.bytes + done.offset, last_bytes);
    shorter.payload_bytes -= BKSI_INDEX_ENTRY_BYTES;
    finish_again(&shorter);
    const uint64_t moved = done.offset - BKSI_INDEX_ENTRY_BYTES;
    memcpy(file.bytes + moved, last, last_bytes);
    (void)bksi_record_finish(file.bytes + moved, BKSI_RECORD_DONE, BKSI_DONE_BYTES, moved);
    file.count -= BKSI_INDEX_ENTRY_BYTES;
    assert_int_equal(open_file(BKS_ERR_DAMAGED)->damage_offset_bytes, index.offset);
}

static void done_that_lies_of_the_index_is_damage(void **state)
{
    (void)state;
    const bksi_record done = find(BKSI_RECORD_DONE, 0);
    file.bytes[done.offset + BKSI_RECORD_HEAD_BYTES + 13] ^= 1;
    finish_again(&done);
    assert_int_equal(open_file(BKS_ERR_DAMAGED)->damage_offset_bytes, done.offset);
}

static void file_without_its_end_needs_no_index(void **state)
{
    (void)state;
    file.count = (size_t)find(BKSI_RECORD_INDEX, 0).offset;
    const bks_recording *info = open_file(BKS_OK);
    assert_false(info->is_complete);
    assert_int_equal(info->ticks, TICKS);
    assert_int_equal(info->keyframes, KEYS);
    assert_int_equal(play_all(), TICKS + 1);
}

static void keyframe_that_lies_is_damage_or_found_out_when_used(void **state)
{
    (void)state;
    const bksi_record second = find(BKSI_RECORD_KEYFRAME, 1);
    uint8_t *payload = file.bytes + second.offset + BKSI_RECORD_HEAD_BYTES;
    const uint32_t tick = bksi_get_u32(payload);
    const uint64_t before = bksi_get_u64(payload + 12);
    bksi_put_u32(payload, EVERY); // as the one before
    finish_again(&second);
    (void)open_file(BKS_ERR_DAMAGED);
    bksi_put_u32(payload, tick);
    bksi_put_u64(payload + 12, before - 1); // no keyframe there
    finish_again(&second);
    (void)open_file(BKS_ERR_DAMAGED);
    bksi_put_u64(payload + 12, 0); // whole, it says
    finish_again(&second);
    (void)open_file(BKS_ERR_DAMAGED);
    bksi_put_u64(payload + 12, before);
    bksi_put_u64(payload + 20, second.offset + 1); // records that come later
    finish_again(&second);
    (void)open_file(BKS_ERR_DAMAGED);
    bksi_put_u64(payload + 20, bksi_get_u64(payload + 20) - 1);
    payload[28] ^= 1; // another state than its hash says
    finish_again(&second);
    (void)open_file(BKS_OK);
    static walk_state unpacked;
    assert_int_equal(bks_replay_keyframe_state(replay, 1, &unpacked, sizeof(unpacked), NULL),
                     BKS_ERR_DAMAGED);
    const bks_playback_config config = {.replay = replay, .game = &walk_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_DESYNC);
    assert_int_equal(result.first_different, 2 * EVERY);
    assert_int_equal(result.recorded_bits, 0);
    assert_int_equal(result.keyframes, 2);
}

static void ticks_that_make_no_sense_are_lost_when_they_are_read(void **state)
{
    (void)state;
    const bksi_record chunk = find(BKSI_RECORD_TICKS, 2);
    // Bytes that no encoder writes, because other inputs take another number of bytes.
    memset(file.bytes + chunk.end - 8 - 10, 0xff, 10);
    finish_again(&chunk);
    const bks_recording *info = open_file(BKS_OK);
    assert_int_equal(info->ticks, TICKS);
    assert_int_equal(info->ending, BKS_REPLAY_COMPLETE);
    int32_t values[WALK_VALUES];
    assert_int_equal(bks_replay_inputs(replay, 19, values), BKS_OK);
    assert_int_equal(bks_replay_inputs(replay, 20, values), BKS_ERR_DAMAGED);
    info = bks_replay_info(replay);
    assert_true(info->is_damaged);
    assert_false(info->is_complete);
    assert_int_equal(info->ending, BKS_REPLAY_UNKNOWN);
    assert_int_equal(info->damage_offset_bytes, chunk.offset);
    assert_int_equal(info->ticks, 20);
    assert_int_equal(info->end, TICKS);
    assert_int_equal(info->lost_count, 1);
    assert_int_equal(play_all(), 21 + 11 + (TICKS + 1 - 68));
    (void)open_file(BKS_OK);
    bks_error error = {0};
    assert_int_equal(bks_replay_check(replay, &error), BKS_ERR_DAMAGED);
    assert_int_equal(error.offset_bytes, chunk.offset);
    assert_int_equal(bks_replay_info(replay)->lost_count, 1);
    assert_int_equal(bks_replay_check(replay, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(bks_replay_info(replay)->lost_count, 1);
    walk_assert_true(replay);
}

static void everything_lost_is_listed_up_to_the_end(void **state)
{
    (void)state;
    const bksi_record first = find(BKSI_RECORD_TICKS, 0);
    const bksi_record done = find(BKSI_RECORD_DONE, 0);
    memset(file.bytes + first.offset, 0x55, (size_t)(done.offset - first.offset));
    const bks_recording *info = open_file(BKS_ERR_DAMAGED);
    assert_int_equal(info->ticks, 0);
    assert_int_equal(info->end, 0);
    assert_int_equal(info->lost_count, 1);
    bks_replay_lost lost;
    assert_int_equal(bks_replay_lost_at(replay, 0, &lost), BKS_OK);
    assert_int_equal(lost.first, 0);
    assert_int_equal(lost.ticks, TICKS); // DONE says how many there were
    assert_int_equal(lost.bytes, done.offset - first.offset);
}

static void asking_beyond_the_lists_is_refused(void **state)
{
    (void)state;
    (void)open_file(BKS_OK);
    bks_replay_lost lost;
    bks_replay_event event;
    bks_replay_keyframe key;
    assert_int_equal(bks_replay_lost_at(replay, 0, &lost), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_event_at(replay, 5, &event), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_event_at(NULL, 0, &event), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_keyframe_at(replay, KEYS, &key), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_keyframe_at(replay, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    static walk_state state_out;
    assert_int_equal(bks_replay_keyframe_state(replay, 0, &state_out, sizeof(state_out) - 1, NULL),
                     BKS_ERR_TOO_SMALL);
    assert_int_equal(bks_replay_keyframe_state(replay, KEYS, &state_out, sizeof(state_out), NULL),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_check(NULL, NULL), BKS_ERR_BAD_ARGUMENT);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, record_all, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(a_whole_recording_lists_all_it_holds),
        WITH_FILE(damaged_ticks_are_reported_and_play_resumes_at_a_keyframe),
        WITH_FILE(damage_behind_which_no_tick_is_missing_loses_none),
        WITH_FILE(keyframes_that_depend_on_a_lost_one_are_not_used),
        WITH_FILE(changed_byte_of_any_record_is_passed_over),
        WITH_FILE(records_swapped_or_doubled_are_passed_over),
        WITH_FILE(index_that_lies_is_damage),
        WITH_FILE(done_that_lies_of_the_index_is_damage),
        WITH_FILE(file_without_its_end_needs_no_index),
        WITH_FILE(keyframe_that_lies_is_damage_or_found_out_when_used),
        WITH_FILE(ticks_that_make_no_sense_are_lost_when_they_are_read),
        WITH_FILE(everything_lost_is_listed_up_to_the_end),
        WITH_FILE(asking_beyond_the_lists_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
