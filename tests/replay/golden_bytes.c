// SPDX-License-Identifier: MIT

#include "golden_changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "replay/format/replay_tail.h"

void golden_append(memory_file *file, const void *bytes, size_t count)
{
    uint8_t *copy = malloc(count);
    assert_non_null(copy);
    memcpy(copy, bytes, count);
    const memory_write write = {.offset = file->count, .count = count, .bytes = copy};
    memory_file_apply(file, &write, count);
    free(copy);
}

void golden_append_record(memory_file *file, uint32_t type, const void *payload, size_t count)
{
    static uint8_t record[BKSI_HEAD_BYTES_MAX + BKSI_RECORD_EXTRA_BYTES];
    assert_true(count <= BKSI_HEAD_BYTES_MAX);
    memcpy(record + BKSI_RECORD_HEAD_BYTES, payload, count);
    golden_append(file, record, bksi_record_finish(record, type, count, file->count));
}

bksi_record golden_find(const memory_file *file, uint32_t type, uint32_t n)
{
    const bks_replay_piece piece = {.bytes = file->bytes, .count = file->count};
    uint64_t offset = BKSI_PREAMBLE_BYTES;
    bksi_record record = {0};
    while (offset < file->count) {
        if (bksi_record_skim(&piece, offset, &record) != BKSI_RECORD_OK) {
            offset = bksi_record_find(&piece, offset);
            continue;
        }
        if (record.type == type && n-- == 0) {
            return record;
        }
        offset = record.end;
    }
    fail_msg("there is no such record");
    return record;
}

void golden_lie(memory_file *file, uint32_t type, uint32_t n, size_t at, uint8_t change)
{
    const bksi_record record = golden_find(file, type, n);
    file->bytes[record.offset + BKSI_RECORD_HEAD_BYTES + at] ^= change;
    (void)bksi_record_finish(file->bytes + record.offset, type, record.payload_bytes,
                             record.offset);
}

void golden_end_with(memory_file *file, uint32_t type, const void *payload, size_t count)
{
    file->count = (size_t)golden_find(file, BKSI_RECORD_DONE, 0).offset;
    golden_append_record(file, type, payload, count);
}

size_t golden_slots(const memory_file *file)
{
    return (size_t)bksi_tail_offset(golden_find(file, BKSI_RECORD_STATE, 0).end);
}

bks_replay_writer *golden_begin(memory_file *file, const bks_replay_detail *detail, bks_tick first)
{
    bks_replay_config config = walk_replay_config(memory_file_sink(file));
    const bks_game named = walk_game_with(walk_ranges, 3);
    config.detail = *detail;
    config.game = detail->values ? &named : config.game;
    config.first_tick = first;
    config.state = &walk_what_happened()->states[first];
    config.page_hashes = walk_what_happened()->pages[first];
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    return writer;
}
