// SPDX-License-Identifier: MIT

// States at marks: rows are written, read in any order, and refused if they are wrong.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_marks.h"
#include "support/catch_log.h"

enum { TICKS = 300, STATE = 600, ROW = 4096, HOLE = 120 };

static memory_file file;

/// Make the state at the start of a tick (mark 0) or at one of its two marks. It grows with the
/// tick.
static size_t make_state(bks_tick tick, uint32_t mark, uint8_t out[STATE])
{
    const size_t count = 100 + (size_t)tick;
    memset(out, 7, count);
    out[tick % 64] = (uint8_t)tick;
    out[64 + mark] = (uint8_t)(mark + (uint32_t)tick);
    return count;
}

static const char *const mark_names[] = {"", "move", "hit"};

/// Parts of a row, for making wrong ones.
typedef struct row_of {
    uint8_t bytes[ROW];
    size_t count;
} row_of;

static void make_row(bks_tick tick, row_of *out)
{
    static uint8_t before[STATE];
    uint8_t now[STATE];
    uint8_t delta[2 * STATE];
    size_t before_count = tick > 0 ? make_state(tick - 1, 2, before) : 0;
    out->count = 0;
    for (uint32_t mark = 0; mark < 3; mark++) {
        bksi_mark_entry entry = {.is_whole = mark == 0 && (tick % 100 == 0 || tick == HOLE + 1),
                                 .state_bytes = make_state(tick, mark, now),
                                 .delta = delta};
        (void)snprintf(entry.name, sizeof(entry.name), "%s", mark_names[mark]);
        entry.delta_bytes =
            bksi_delta_write(delta, sizeof(delta), before, entry.is_whole ? 0 : before_count, now,
                             entry.state_bytes);
        assert_true(bksi_mark_entry_write(out->bytes, ROW, &out->count, &entry));
        memcpy(before, now, entry.state_bytes);
        before_count = entry.state_bytes;
    }
}

/// Make a recording whose rows are changed by `change`, NULL: unchanged.
static bks_replay *record(bks_tick ticks, void (*change)(bks_tick tick, row_of *row))
{
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.detail = (bks_replay_detail){.chunk_ticks = 64, .marks = true};
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < ticks; tick++) {
        row_of row;
        make_row(tick, &row);
        if (change != NULL) {
            change(tick, &row);
        }
        if (tick != HOLE) {
            assert_int_equal(bks_replay_writer_marks(writer, tick, row.bytes, row.count), BKS_OK);
        }
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, walk_what_happened()->inputs[tick], NULL),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    return replay;
}

static void end(bks_replay *replay)
{
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Check each state of a tick.
typedef struct check {
    bks_tick tick;
    uint32_t seen;
    uint32_t stop_at;
} check;

static bool see(void *context, const char *mark, const void *state, size_t count)
{
    check *c = context;
    uint8_t wanted[STATE];
    assert_in_range(c->seen, 0, 2);
    assert_string_equal(mark, mark_names[c->seen]);
    assert_int_equal(count, make_state(c->tick, c->seen, wanted));
    assert_memory_equal(state, wanted, count);
    c->seen++;
    return c->seen != c->stop_at;
}

static bks_status read_tick(bks_replay *replay, bks_tick tick, uint32_t marks)
{
    check c = {.tick = tick};
    const bks_status status = bks_replay_marks(replay, tick, see, &c);
    assert_int_equal(c.seen, status == BKS_OK ? marks : 0);
    return status;
}

static void states_are_read_in_any_order(void **state)
{
    (void)state;
    bks_replay *replay = record(TICKS, NULL);
    assert_int_equal(bks_replay_info(replay)->mark_ticks, TICKS);
    assert_true(bks_replay_info(replay)->mark_bytes > 0);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        assert_int_equal(read_tick(replay, tick, 3), tick == HOLE ? BKS_ERR_INCOMPLETE : BKS_OK);
    }
    for (bks_tick tick = TICKS - 1; tick > HOLE; tick -= 7) {
        assert_int_equal(read_tick(replay, tick, 3), BKS_OK);
        assert_int_equal(read_tick(replay, tick, 3), BKS_OK);
    }
    assert_int_equal(read_tick(replay, 99, 3), BKS_OK);
    assert_int_equal(read_tick(replay, 5, 3), BKS_OK);
    assert_int_equal(read_tick(replay, 299, 3), BKS_OK);
    assert_int_equal(read_tick(replay, TICKS, 3), BKS_ERR_INCOMPLETE);
    check c = {.tick = 40, .stop_at = 2};
    assert_int_equal(bks_replay_marks(replay, 40, see, &c), BKS_OK);
    assert_int_equal(c.seen, 2);
    assert_int_equal(read_tick(replay, 41, 3), BKS_OK);
    end(replay);
}

static void make_none_whole(bks_tick tick, row_of *row)
{
    (void)tick;
    row->bytes[0] = 0;
}

static void without_a_whole_state_before_it_a_tick_is_not_there(void **state)
{
    (void)state;
    bks_replay *replay = record(TICKS, make_none_whole);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        assert_int_equal(read_tick(replay, tick, 3), BKS_ERR_INCOMPLETE);
    }
    end(replay);
}

static void spoil_delta(bks_tick tick, row_of *row)
{
    if (tick == 50) {
        memset(row->bytes + 4, 0xFF, 8);
    }
}

static void cut_row(bks_tick tick, row_of *row)
{
    row->count -= tick == 50 ? 3 : 0;
}

static void grow_state(bks_tick tick, row_of *row)
{
    if (tick == 50) { // 2^28 bytes
        memcpy(row->bytes + 2, "\x80\x80\x80\x80\x01", 5);
    }
}

static void name_badly(bks_tick tick, row_of *row)
{
    if (tick == 50) {
        row->bytes[1] = 1;
    }
}

/// A wrong row, and rows that continue from it, cannot be read; the next whole row can.
static void a_wrong_row_is_refused_up_to_the_next_whole_one(void **state)
{
    (void)state;
    void (*const changes[])(bks_tick, row_of *) = {spoil_delta, cut_row, grow_state, name_badly};
    bks_log_clear_sink();
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        bks_replay *replay = record(TICKS, changes[i]);
        assert_int_equal(read_tick(replay, 49, 3), BKS_OK);
        check c = {.tick = 50};
        const bks_status status = bks_replay_marks(replay, 50, see, &c);
        assert_int_equal(status, BKS_ERR_DAMAGED);
        assert_int_not_equal(read_tick(replay, 51, 3), BKS_OK);
        assert_int_equal(read_tick(replay, 101, 3), BKS_OK);
        end(replay);
    }
}

// ---- few bytes that ask for much work ----

enum { LARGE = 1 << 24 };

static void add_zeros(row_of *row, bool is_whole, const char *name, size_t bytes)
{
    bksi_mark_entry entry = {
        .is_whole = is_whole, .state_bytes = bytes, .delta = (const uint8_t *)""};
    (void)snprintf(entry.name, sizeof(entry.name), "%s", name);
    assert_true(bksi_mark_entry_write(row->bytes, ROW, &row->count, &entry));
}

static void fill_with_large(bks_tick tick, row_of *row, bool are_whole, uint32_t states)
{
    if (tick == 50) {
        row->count = 0;
        for (uint32_t i = 0; i < states; i++) {
            add_zeros(row, i == 0 || are_whole, i == 0 ? "" : "m", LARGE);
        }
    }
}

static void hold_too_large_states(bks_tick tick, row_of *row)
{
    fill_with_large(tick, row, false, BKSI_MARK_STATES_BYTES_MAX / LARGE + 1);
}

static void hold_as_large_states_as_may_be(bks_tick tick, row_of *row)
{
    fill_with_large(tick, row, false, BKSI_MARK_STATES_BYTES_MAX / LARGE);
}

static void hold_two_whole_states(bks_tick tick, row_of *row)
{
    fill_with_large(tick, row, true, 2);
}

static void hold_a_wrong_state_last(bks_tick tick, row_of *row)
{
    fill_with_large(tick, row, false, 2);
    if (tick == 50) {
        row->bytes[row->count - 1] = 1; // a difference of one byte, which is the next row's
    }
}

static bool count_bytes(void *context, const char *mark, const void *state, size_t count)
{
    (void)mark;
    (void)state;
    *(uint64_t *)context += count;
    return true;
}

/// A wrong row is refused before its first state is unpacked.
static void a_row_of_more_bytes_than_it_may_have_is_refused_with_its_place(void **state)
{
    (void)state;
    void (*const changes[])(bks_tick, row_of *) = {hold_too_large_states, hold_two_whole_states,
                                                   hold_a_wrong_state_last};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        bks_replay *replay = record(60, changes[i]);
        uint64_t bytes = 0;
        catch_log caught;
        catch_log_begin(&caught);
        assert_int_equal(bks_replay_marks(replay, 50, count_bytes, &bytes), BKS_ERR_DAMAGED);
        bks_log_clear_sink();
        assert_int_equal(bytes, 0);
        assert_non_null(strstr(caught.text, " at byte "));
        end(replay);
    }
    bks_replay *replay = record(60, hold_as_large_states_as_may_be);
    uint64_t bytes = 0;
    assert_int_equal(bks_replay_marks(replay, 50, count_bytes, &bytes), BKS_OK);
    assert_int_equal(bytes, BKSI_MARK_STATES_BYTES_MAX);
    end(replay);
}

static void hold_large_states_and_start_anew(bks_tick tick, row_of *row)
{
    row->count = 0;
    for (uint32_t i = 0; i < BKSI_MARK_STATES_BYTES_MAX / LARGE; i++) {
        add_zeros(row, i == 0 && tick % 2 == 0, i == 0 ? "" : "m", LARGE);
    }
}

static void states_of_more_bytes_than_a_file_may_have_are_not_written(void **state)
{
    (void)state;
    const bks_tick most = BKSI_MARK_FILE_STATES_BYTES / BKSI_MARK_STATES_BYTES_MAX;
    bks_replay *replay = record(20, hold_large_states_and_start_anew);
    catch_log caught;
    catch_log_begin(&caught);
    for (bks_tick tick = 0; tick < 20; tick++) {
        uint64_t bytes = 0;
        assert_int_equal(bks_replay_marks(replay, tick, count_bytes, &bytes),
                         tick < most ? BKS_OK : BKS_ERR_INCOMPLETE);
        assert_int_equal(bytes, tick < most ? BKSI_MARK_STATES_BYTES_MAX : 0);
    }
    bks_log_clear_sink();
    end(replay);
    assert_true(bksi_marks_may_have(BKSI_MARK_FILE_STATES_BYTES, 0));
    assert_false(bksi_marks_may_have(BKSI_MARK_FILE_STATES_BYTES + BKSI_MARK_FILE_FACTOR, 1));
    assert_true(bksi_marks_may_have(BKSI_MARK_FILE_STATES_BYTES + BKSI_MARK_FILE_FACTOR, 2));
    assert_false(bksi_marks_may_have(UINT64_MAX, 1 << 20));
}

/// Make the first of every three ticks whole and the second wrong; the third continues from the
/// second.
static void be_right_in_one_of_three(bks_tick tick, row_of *row)
{
    if (tick % 3 == 0) {
        row->count = 0;
        add_zeros(row, true, "", STATE);
    }
    row->bytes[0] = tick % 3 == 0;
    row->count -= tick % 3 == 1;
}

static void *count_allocations(void *context, size_t bytes, size_t alignment)
{
    (void)alignment;
    ++*(uint32_t *)context;
    return malloc(bytes);
}

static void release(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

/// Each step back unpacks the records before a tick.
static void what_a_tick_continues_from_is_not_looked_for_again_when_it_was_wrong(void **state)
{
    (void)state;
    bks_log_clear_sink();
    bks_replay_close(record(TICKS, be_right_in_one_of_three));
    uint32_t allocations = 0;
    const bks_allocator allocator = {
        .context = &allocations, .alloc = count_allocations, .release = release};
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, &allocator, &replay, NULL), BKS_OK);
    const uint32_t before = allocations;
    uint64_t bytes = 0;
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const bks_status status = bks_replay_marks(replay, tick, count_bytes, &bytes);
        assert_int_equal(status == BKS_OK, tick % 3 == 0 && tick != HOLE);
    }
    assert_in_range(allocations - before, 5, 20); // 5 records
    end(replay);
}

static void a_damaged_record_loses_its_ticks_alone(void **state)
{
    (void)state;
    bks_replay *replay = record(TICKS, NULL);
    bks_replay_close(replay);
    size_t at = 0;
    for (int found = 0; found < 2; at++) { // the second record of its kind
        assert_true(at + 4 < file.count);
        found += memcmp(file.bytes + at, "mark", 4) == 0;
    }
    file.bytes[at + 40] ^= 1;
    replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_ERR_DAMAGED);
    assert_int_equal(read_tick(replay, 63, 3), BKS_OK);
    assert_int_equal(read_tick(replay, 64, 3), BKS_ERR_INCOMPLETE);
    assert_int_equal(read_tick(replay, 200, 3), BKS_OK);
    end(replay);
}

static void records_that_say_too_much_are_refused(void **state)
{
    (void)state;
    bksi_packed_marks marks;
    static const uint8_t good[] = {5, 2, 2, 0, 0, 0};
    assert_true(bksi_marks_read(&marks, good, sizeof(good)));
    assert_int_equal(marks.first, 5);
    assert_int_equal(marks.ticks, 2);
    static const uint8_t wrong[][10] = {
        {5, 0, 2, 0, 0, 0},                            // no ticks
        {5, 3, 2, 0, 0, 0},                            // fewer bytes than rows
        {5, 2, 2, 2, 0, 0},                            // packed in no known way
        {5, 2, 3, 0, 0, 0},                            // not the bytes that it says
        {5, 2, 2, 1, 0, 0},                            // no zstd
        {5, 2, 0x81, 0x80, 0x80, 0x02, 0, 0},          // more than 4 MiB
        {0xFF, 0xFF, 0xFF, 0xFF, 0x07, 2, 2, 0, 0, 0}, // beyond the last tick
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(bksi_marks_read(&marks, wrong[i], i == 6 ? 10 : i == 5 ? 8 : 6));
    }
}

static void a_row_that_does_not_fit_stays_as_it_was(void **state)
{
    (void)state;
    uint8_t row[16];
    size_t count = 0;
    const bksi_mark_entry entry = {
        .name = "m", .state_bytes = 9, .delta = (const uint8_t *)"abcdefghij", .delta_bytes = 4};
    assert_true(bksi_mark_entry_write(row, sizeof(row), &count, &entry));
    assert_int_equal(count, 9);
    assert_false(bksi_mark_entry_write(row, sizeof(row), &count, &entry));
    assert_int_equal(count, 9);
}

static void large_rows_make_records_of_their_own(void **state)
{
    (void)state;
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.detail.marks = true;
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    uint8_t *row = calloc(1, BKSI_MARK_ROW_BYTES_MAX + 1);
    assert_non_null(row);
    assert_int_equal(bks_replay_writer_marks(writer, 0, row, BKSI_MARK_ROW_BYTES_MAX + 1),
                     BKS_ERR_BAD_ARGUMENT);
    for (bks_tick tick = 0; tick < 8; tick++) {
        assert_int_equal(bks_replay_writer_marks(writer, tick, row, BKSI_MARK_ROW_BYTES_MAX),
                         BKS_OK);
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, walk_what_happened()->inputs[tick], NULL),
            BKS_OK);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    assert_int_equal(bks_replay_info(replay)->mark_ticks, 8);
    free(row);
    end(replay);
}

// ---- notes ----

static void add_entry(row_of *row, const bksi_mark_entry *entry)
{
    assert_true(bksi_mark_entry_write(row->bytes, ROW, &row->count, entry));
}

/// Write notes after the states of every third tick, and one after the first state.
static void note_things(bks_tick tick, row_of *row)
{
    if (tick % 3 != 0) {
        return;
    }
    const row_of states = *row;
    bksi_mark_entry entry;
    size_t at = 0;
    assert_true(bksi_mark_entry_read(states.bytes, states.count, &at, &entry));
    row->count = at;
    bksi_mark_entry note = {.is_note = true};
    (void)snprintf(note.name, sizeof(note.name), "early %d", tick);
    add_entry(row, &note);
    memcpy(row->bytes + row->count, states.bytes + at, states.count - at);
    row->count += states.count - at;
    (void)snprintf(note.name, sizeof(note.name), "late \n\xC3\xA9");
    add_entry(row, &note);
}

typedef struct heard {
    uint32_t count;
    uint32_t before[4];
    char texts[4][32];
} heard;

static bool hear(void *context, uint32_t states_before, const char *text)
{
    heard *h = context;
    assert_in_range(h->count, 0, 3);
    h->before[h->count] = states_before;
    (void)snprintf(h->texts[h->count++], sizeof(h->texts[0]), "%s", text);
    return true;
}

static bks_status read_notes(bks_replay *replay, bks_tick tick)
{
    heard h = {0};
    const bks_status status = bks_replay_notes(replay, tick, hear, &h);
    assert_int_equal(h.count, status == BKS_OK && tick % 3 == 0 ? 2 : 0);
    if (h.count > 0) {
        char text[32];
        (void)snprintf(text, sizeof(text), "early %d", tick);
        assert_int_equal(h.before[0], 1);
        assert_string_equal(h.texts[0], text);
        assert_int_equal(h.before[1], 3);
        assert_string_equal(h.texts[1], "late \\x0a\\xc3\\xa9");
    }
    return status;
}

/// Read the states before the notes, after them, or not at all.
static void notes_are_read_beside_the_states_in_any_order(void **state)
{
    (void)state;
    bks_replay *replay = record(TICKS, note_things);
    for (int order = 0; order < 3; order++) {
        for (bks_tick tick = 0; tick < TICKS; tick++) {
            const bks_status wanted = tick == HOLE ? BKS_ERR_INCOMPLETE : BKS_OK;
            if (order == 1) {
                assert_int_equal(read_tick(replay, tick, 3), wanted);
            }
            assert_int_equal(read_notes(replay, tick), wanted);
            assert_int_equal(read_notes(replay, tick), wanted);
            if (order == 2) {
                assert_int_equal(read_tick(replay, tick, 3), wanted);
            }
        }
    }
    for (bks_tick tick = TICKS - 1; tick > HOLE; tick -= 7) {
        assert_int_equal(read_notes(replay, tick), BKS_OK);
        assert_int_equal(read_tick(replay, tick, 3), BKS_OK);
    }
    assert_int_equal(read_notes(replay, TICKS), BKS_ERR_INCOMPLETE);
    end(replay);
}

/// Notes do not unpack records more often than states alone do.
static void notes_beside_states_unpack_nothing_again(void **state)
{
    (void)state;
    bks_replay_close(record(TICKS, note_things));
    uint32_t allocations = 0;
    const bks_allocator allocator = {
        .context = &allocations, .alloc = count_allocations, .release = release};
    for (int order = 0; order < 2; order++) {
        bks_replay *replay = NULL;
        assert_int_equal(bks_replay_open(file.bytes, file.count, &allocator, &replay, NULL),
                         BKS_OK);
        const uint32_t before = allocations;
        for (bks_tick tick = 0; tick < HOLE; tick++) {
            assert_int_equal(order == 0 ? read_tick(replay, tick, 3) : read_notes(replay, tick),
                             BKS_OK);
            assert_int_equal(order == 1 ? read_tick(replay, tick, 3) : read_notes(replay, tick),
                             BKS_OK);
        }
        assert_in_range(allocations - before, 2, 8); // 2 records, and a state that grows
        bks_replay_close(replay);
    }
    memory_file_free(&file);
}

static void note_first(bks_tick tick, row_of *row)
{
    if (tick == 50) {
        row->count = 0;
        add_entry(row, &(bksi_mark_entry){.is_note = true, .name = "no state yet"});
    }
}

static void know_no_such_entry(bks_tick tick, row_of *row)
{
    if (tick == 50) {
        add_entry(row, &(bksi_mark_entry){.is_note = true, .name = "n"});
        row->bytes[row->count - 3] = 3;
    }
}

static void cut_note(bks_tick tick, row_of *row)
{
    if (tick == 50) {
        add_entry(row, &(bksi_mark_entry){.is_note = true, .name = "note"});
        row->count--;
    }
}

static void note_control_bytes(bks_tick tick, row_of *row)
{
    if (tick == 50) {
        add_entry(row, &(bksi_mark_entry){.is_note = true, .name = "n"});
        row->bytes[row->count - 1] = 0x1B;
    }
}

static void a_wrong_note_is_refused_with_its_place(void **state)
{
    (void)state;
    void (*const changes[])(bks_tick, row_of *) = {note_first, know_no_such_entry, cut_note,
                                                   note_control_bytes};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        bks_replay *replay = record(60, changes[i]);
        uint64_t bytes = 0;
        heard h = {0};
        catch_log caught;
        catch_log_begin(&caught);
        assert_int_equal(bks_replay_notes(replay, 50, hear, &h), BKS_ERR_DAMAGED);
        assert_non_null(strstr(caught.text, " at byte "));
        assert_int_equal(bks_replay_marks(replay, 50, count_bytes, &bytes), BKS_ERR_DAMAGED);
        bks_log_clear_sink();
        assert_int_equal(bytes, 0);
        assert_int_equal(h.count, 0);
        assert_int_equal(bks_replay_notes(replay, 49, hear, &h), BKS_OK);
        end(replay);
    }
}

static void a_long_note_is_cut_behind_a_whole_byte(void **state)
{
    (void)state;
    row_of row = {.count = 0};
    bksi_mark_entry note = {.is_note = true};
    memset(note.name, 'n', 253);
    (void)snprintf(note.name + 253, 3, "\x1B!");
    add_entry(&row, &note);
    bksi_mark_entry read;
    size_t at = 0;
    assert_true(bksi_mark_entry_read(row.bytes, row.count, &at, &read));
    assert_int_equal(strlen(read.name), 253);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    bks_replay *replay = record(10, NULL);
    check c = {0};
    assert_int_equal(bks_replay_marks(NULL, 0, see, &c), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_marks(replay, 0, NULL, &c), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_marks(replay, -1, see, &c), BKS_ERR_INCOMPLETE);
    heard h = {0};
    assert_int_equal(bks_replay_notes(NULL, 0, hear, &h), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_notes(replay, 0, NULL, &h), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_marks(NULL, 0, "", 0), BKS_ERR_BAD_ARGUMENT);
    end(replay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_read_in_any_order),
        cmocka_unit_test(without_a_whole_state_before_it_a_tick_is_not_there),
        cmocka_unit_test(a_wrong_row_is_refused_up_to_the_next_whole_one),
        cmocka_unit_test(a_row_of_more_bytes_than_it_may_have_is_refused_with_its_place),
        cmocka_unit_test(states_of_more_bytes_than_a_file_may_have_are_not_written),
        cmocka_unit_test(what_a_tick_continues_from_is_not_looked_for_again_when_it_was_wrong),
        cmocka_unit_test(a_damaged_record_loses_its_ticks_alone),
        cmocka_unit_test(records_that_say_too_much_are_refused),
        cmocka_unit_test(a_row_that_does_not_fit_stays_as_it_was),
        cmocka_unit_test(large_rows_make_records_of_their_own),
        cmocka_unit_test(notes_are_read_beside_the_states_in_any_order),
        cmocka_unit_test(notes_beside_states_unpack_nothing_again),
        cmocka_unit_test(a_wrong_note_is_refused_with_its_place),
        cmocka_unit_test(a_long_note_is_cut_behind_a_whole_byte),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
