// SPDX-License-Identifier: MIT

// Tests CMDS records: their bytes, how a writer appends them, and how a reader takes them.

#include "replay/format/replay_commands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PLAYERS = 3 };

static const bks_allocator by_default;
static uint8_t content[4096];

static void put(bksi_byte_writer *writer, uint32_t seat, uint32_t count, const char *bytes,
                size_t size)
{
    bksi_write_u8(writer, (uint8_t)seat);
    bksi_write_u32(writer, count);
    bksi_write_bytes(writer, bytes, size);
}

/// Unpack a record whose content is stored as it is, not packed by zstd.
static bool unpacks(const bksi_byte_writer *plain, bks_commands *commands)
{
    uint8_t payload[4200];
    bksi_byte_writer writer = bksi_byte_writer_over(payload, sizeof(payload));
    bksi_write_u32(&writer, 77);
    bksi_write_u8(&writer, 0);
    bksi_write_bytes(&writer, plain->bytes, plain->at);
    bksi_commands_place place;
    if (!bksi_commands_read_head(&place, payload, writer.at)) {
        return false;
    }
    assert_int_equal(place.tick, 77);
    assert_int_equal(place.content_bytes, plain->at);
    return bksi_commands_unpack(payload, writer.at, content, PLAYERS, commands);
}

static void what_was_packed_is_unpacked(void **state)
{
    (void)state;
    static uint8_t many[3002] = {0xb8, 0x0b}; // 3000 bytes, which zstd makes shorter
    const bks_commands commands[PLAYERS] = {
        {.bytes = (const uint8_t *)"\1\0a\2\0bc", .count = 7}, {0}, {.bytes = many, .count = 3002}};
    for (uint32_t players = 1; players <= PLAYERS; players++) {
        bksi_packer *packer =
            bksi_packer_create(BKSI_COMMANDS_HEAD_BYTES,
                               PLAYERS * (size_t)BKSI_COMMANDS_PLAYER_BYTES_MAX, &by_default);
        assert_non_null(packer);
        uint64_t packed_bytes = 0;
        const size_t bytes = bksi_commands_pack(packer, 9, commands, players, &packed_bytes, 0);
        const uint8_t *payload = bksi_packer_record(packer) + BKSI_RECORD_HEAD_BYTES;
        assert_true(bytes < 200);
        bksi_commands_place place;
        assert_true(bksi_commands_read_head(&place, payload, bytes));
        assert_int_equal(place.tick, 9);
        bks_commands out[PLAYERS];
        assert_true(bksi_commands_unpack(payload, bytes, content, PLAYERS, out));
        for (uint32_t p = 0; p < PLAYERS; p++) {
            assert_int_equal(out[p].count, p < players ? commands[p].count : 0);
            if (out[p].count > 0) {
                assert_memory_equal(out[p].bytes, commands[p].bytes, out[p].count);
            }
        }
        bksi_packer_destroy(packer);
    }
}

static void no_more_are_packed_than_the_file_may_have(void **state)
{
    (void)state;
    static uint8_t many[3002] = {0xb8, 0x0b};
    const bks_commands commands[1] = {{.bytes = many, .count = 3002}};
    const size_t content_bytes = 1 + 4 + 3002;
    bksi_packer *packer =
        bksi_packer_create(BKSI_COMMANDS_HEAD_BYTES, BKSI_COMMANDS_PLAYER_BYTES_MAX, &by_default);
    assert_non_null(packer);
    for (uint32_t over = 0; over < 2; over++) {
        const uint64_t before = BKSI_COMMANDS_FILE_BYTES - content_bytes + over;
        uint64_t packed_bytes = before;
        const size_t bytes = bksi_commands_pack(packer, 9, commands, 1, &packed_bytes, 0);
        assert_int_equal(packed_bytes, over == 0 ? BKSI_COMMANDS_FILE_BYTES : before);
        bksi_commands_place place;
        const uint8_t *payload = bksi_packer_record(packer) + BKSI_RECORD_HEAD_BYTES;
        assert_true(bksi_commands_read_head(&place, payload, bytes));
        assert_int_equal(place.is_packed, over == 0);
        bks_commands out[1];
        assert_true(bksi_commands_unpack(payload, bytes, content, 1, out));
        assert_int_equal(out[0].count, 3002);
        assert_memory_equal(out[0].bytes, many, 3002);
    }
    bksi_packer_destroy(packer);
    assert_true(bksi_commands_may_have(BKSI_COMMANDS_FILE_BYTES + BKSI_COMMANDS_FILE_FACTOR, 2));
    assert_false(
        bksi_commands_may_have(BKSI_COMMANDS_FILE_BYTES + 2 * BKSI_COMMANDS_FILE_FACTOR, 2));
}

static void hostile_contents_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t seats[2];
        uint32_t counts[2];
        const char *bytes[2];
        bool is_right;
    } contents[] = {
        {{0, 2}, {3, 3}, {"\1\0a", "\1\0b"}, true},
        {{2, 0}, {3, 3}, {"\1\0a", "\1\0b"}, false},  // not in order
        {{1, 1}, {3, 3}, {"\1\0a", "\1\0b"}, false},  // twice
        {{0, 3}, {3, 3}, {"\1\0a", "\1\0b"}, false},  // no such seat
        {{0, 1}, {3, 0}, {"\1\0a", ""}, false},       // nothing
        {{0, 1}, {3, 3}, {"\1\0a", "\2\0b"}, false},  // beyond the end
        {{0, 1}, {3, 3}, {"\1\0a", "\0\0b"}, false},  // an empty command
        {{0, 1}, {3, 4}, {"\1\0a", "\1\0bc"}, false}, // a command's first byte alone
        {{0, 1}, {3, 2}, {"\1\0a", "\1\0"}, false},
    };
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
        uint8_t bytes[64];
        bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
        for (uint32_t k = 0; k < 2; k++) {
            put(&writer, contents[i].seats[k], contents[i].counts[k], contents[i].bytes[k],
                contents[i].counts[k]);
        }
        bks_commands commands[PLAYERS];
        assert_int_equal(unpacks(&writer, commands), contents[i].is_right);
    }
    uint8_t bytes[64];
    bks_commands commands[PLAYERS];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    assert_false(unpacks(&writer, commands)); // an empty content
    put(&writer, 0, 0xFFFFFFFF, "\1\0a", 3);  // a size beyond the content
    assert_false(unpacks(&writer, commands));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_packed_is_unpacked),
        cmocka_unit_test(no_more_are_packed_than_the_file_may_have),
        cmocka_unit_test(hostile_contents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
