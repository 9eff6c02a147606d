// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/seed.h"
#include "wire/view_messages.h"
#include "wire/wire_bytes.h"

#define BYTES_MAX 64u

static bksi_bit_writer into(uint8_t *bytes)
{
    memset(bytes, 0, BYTES_MAX);
    return bksi_bit_writer_over(bytes, BYTES_MAX);
}

/// Make the newest views of a log up to number `view`, each with other members.
static bksi_gone some_log(uint32_t view, uint32_t count)
{
    bksi_gone message = {.view = view, .count = count};
    for (uint32_t v = view - count + 1; v <= view; v++) {
        message.members[v % BKSI_GONE_VIEWS_MAX] = v % 2 == 0 ? 0xFE : 0xFA;
        message.hashes[v % BKSI_GONE_VIEWS_MAX] = 0x11111111u * (v % 15);
    }
    return message;
}

static bool read_gone(const uint8_t *bytes, size_t count, bksi_gone *message)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_bit_reader reader = bksi_bit_reader_over(copy, count);
    bksi_view_type type;
    bool is_ok = bksi_view_type_read(&reader, &type) && type == BKSI_VIEW_GONE &&
                 bksi_gone_read(&reader, message);
    free(copy);
    return is_ok;
}

static void gone_is_its_golden_bytes(void **context)
{
    (void)context;
    uint8_t bytes[BYTES_MAX];
    bksi_bit_writer writer = into(bytes);
    bksi_gone message = some_log(0x1002, 2);
    bksi_gone_write(&writer, &message);
    assert_bytes(bytes, bksi_bit_writer_bytes(&writer), "03021021222222a23f333333e30f");
    bksi_gone back;
    assert_true(read_gone(bytes, bksi_bit_writer_bytes(&writer), &back));
    assert_int_equal(back.view, 0x1002);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.members[1], 0xFA);
    assert_int_equal(back.members[2], 0xFE);
    assert_int_equal(back.hashes[2], message.hashes[2]);
    for (size_t count = 0; count < bksi_bit_writer_bytes(&writer); count++) {
        assert_false(read_gone(bytes, count, &back));
    }
}

static void the_longest_log_comes_back(void **context)
{
    (void)context;
    const uint32_t newest[] = {15, 16, 99, UINT16_MAX};
    for (size_t i = 0; i < sizeof(newest) / sizeof(newest[0]); i++) {
        uint8_t bytes[128] = {0};
        bksi_bit_writer writer = bksi_bit_writer_over(bytes, sizeof(bytes));
        const bksi_gone message = some_log(newest[i], BKSI_GONE_VIEWS_MAX);
        bksi_gone_write(&writer, &message);
        assert_false(writer.failed);
        bksi_gone back;
        assert_true(read_gone(bytes, bksi_bit_writer_bytes(&writer), &back));
        assert_memory_equal(&back, &message, sizeof(back));
    }
}

static void a_log_that_cannot_be_is_refused(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t bytes[BYTES_MAX];
        bksi_gone message = some_log(2, i == 0 ? 4 : 3); // there are three views up to 2
        message.members[2] = i == 1 ? 0 : i == 2 ? message.members[1] : message.members[2];
        bksi_bit_writer writer = into(bytes);
        bksi_gone_write(&writer, &message);
        bksi_gone back;
        assert_int_equal(read_gone(bytes, bksi_bit_writer_bytes(&writer), &back), i == 3);
    }
}

/// Begin to read a VIEW, which must have this sub-type.
static bksi_bit_reader open_view(const bksi_bit_writer *writer, bksi_view_type wanted)
{
    bksi_bit_reader reader = bksi_bit_reader_over(writer->bytes, bksi_bit_writer_bytes(writer));
    bksi_view_type type;
    assert_true(bksi_view_type_read(&reader, &type));
    assert_int_equal(type, wanted);
    return reader;
}

static void a_type_that_is_none_is_refused(void **context)
{
    (void)context;
    for (uint32_t value = 0; value < 256; value++) {
        const uint8_t byte = (uint8_t)value;
        bksi_bit_reader reader = bksi_bit_reader_over(&byte, 1);
        bksi_view_type type;
        assert_int_equal(bksi_view_type_read(&reader, &type), value < 4);
        assert_true(value >= 4 || (uint32_t)type == value);
    }
    bksi_bit_reader empty = bksi_bit_reader_over(NULL, 0);
    bksi_view_type type;
    assert_false(bksi_view_type_read(&empty, &type));
}

/// Write a commit without ticks of leavers, which stops at a tick.
static bool takes_stop(uint32_t tick)
{
    uint8_t bytes[BYTES_MAX];
    const bksi_commit commit = {.members = 1};
    bksi_bit_writer writer = into(bytes);
    bksi_commit_write(&writer, &commit);
    writer.at_bits--; // of no end
    bksi_write_bits(&writer, 1, 1);
    bksi_write_bits(&writer, tick, 32);
    bksi_bit_reader reader = open_view(&writer, BKSI_VIEW_COMMIT);
    bksi_commit back;
    return bksi_commit_read(&reader, &back);
}

static void an_end_that_is_no_tick_is_refused(void **context)
{
    (void)context;
    assert_true(takes_stop(1) && takes_stop(INT32_MAX));
    assert_false(takes_stop(0));
    assert_false(takes_stop((uint32_t)INT32_MAX + 1));
    assert_false(takes_stop(UINT32_MAX));
}

static void ballots_and_commits_come_back(void **context)
{
    (void)context;
    for (uint32_t round = 0; round < 2000; round++) {
        uint8_t bytes[BYTES_MAX];
        bksi_view_name base = {seed_below(65536), (uint32_t)seed_next()};
        uint32_t leavers = 1 + seed_below(254);
        const bks_tick stop = seed_below(2) == 0 ? 0 : 1 + (bks_tick)seed_below(INT32_MAX);
        bksi_propose propose = {.base = base,
                                .number = 1 + seed_below(UINT32_MAX),
                                .leavers = leavers,
                                .dropped = leavers & seed_below(256)};
        bksi_speed_decision speed = {.percent = 100};
        speed.number = (uint16_t)(seed_below(2) == 0 ? 0 : seed_below(UINT16_MAX));
        bksi_commit commit = {.base = base,
                              .members = 0xFF & ~leavers,
                              .leavers = leavers,
                              .stop = stop,
                              .speed = speed};
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            propose.heads[i] = (leavers >> i & 1) != 0 ? (bks_tick)seed_below(INT32_MAX / 2) : 0;
            commit.ends[i] = propose.heads[i];
        }
        bksi_answer answer = {.base = base,
                              .number = propose.number,
                              .leavers = leavers & seed_below(256),
                              .frozen = leavers,
                              .stop = stop,
                              .speed = speed};
        memcpy(answer.heads, propose.heads, sizeof(answer.heads));

        bksi_bit_writer writer = into(bytes);
        bksi_propose_write(&writer, &propose);
        bksi_bit_reader reader = open_view(&writer, BKSI_VIEW_PROPOSE);
        bksi_propose proposed = {0};
        assert_true(bksi_propose_read(&reader, &proposed));
        assert_int_equal(proposed.base.hash, base.hash);
        assert_int_equal(proposed.number, propose.number);
        assert_int_equal(proposed.leavers, leavers);
        assert_int_equal(proposed.dropped, propose.dropped);
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            assert_true((leavers >> i & 1) == 0 || proposed.heads[i] == propose.heads[i]);
        }

        writer = into(bytes);
        bksi_answer_write(&writer, &answer);
        reader = open_view(&writer, BKSI_VIEW_ANSWER);
        bksi_answer answered = {0};
        assert_true(bksi_answer_read(&reader, &answered));
        assert_int_equal(answered.number, answer.number);
        assert_int_equal(answered.leavers, answer.leavers);
        assert_int_equal(answered.frozen, leavers);
        assert_int_equal(answered.stop, stop);
        assert_int_equal(answered.speed.number, speed.number);
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            assert_true((leavers >> i & 1) == 0 || answered.heads[i] == answer.heads[i]);
        }
        answer.leavers = ~answer.frozen & 0xFF; // it would agree, and take their inputs still
        writer = into(bytes);
        bksi_answer_write(&writer, &answer);
        reader = open_view(&writer, BKSI_VIEW_ANSWER);
        assert_int_equal(bksi_answer_read(&reader, &answered), answer.frozen == 0xFF);

        writer = into(bytes);
        bksi_commit_write(&writer, &commit);
        reader = open_view(&writer, BKSI_VIEW_COMMIT);
        bksi_commit committed = {0};
        assert_true(bksi_commit_read(&reader, &committed));
        assert_int_equal(committed.base.view, base.view);
        assert_int_equal(committed.members, commit.members);
        assert_int_equal(committed.stop, stop);
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            assert_true((leavers >> i & 1) == 0 || committed.ends[i] == commit.ends[i]);
        }
    }
}

static void random_bytes_are_read_within_their_bounds(void **context)
{
    (void)context;
    for (uint32_t round = 0; round < 20000; round++) {
        uint8_t bytes[BYTES_MAX];
        size_t count = seed_below(BYTES_MAX + 1);
        for (size_t i = 0; i < count; i++) {
            bytes[i] = (uint8_t)seed_next();
        }
        uint8_t *copy = exact_copy(bytes, count);
        bksi_gone gone;
        bksi_propose propose;
        bksi_answer answer;
        bksi_commit commit;
        bksi_bit_reader reader = bksi_bit_reader_over(copy, count);
        (void)bksi_gone_read(&reader, &gone);
        reader = bksi_bit_reader_over(copy, count);
        (void)bksi_propose_read(&reader, &propose);
        reader = bksi_bit_reader_over(copy, count);
        (void)bksi_answer_read(&reader, &answer);
        reader = bksi_bit_reader_over(copy, count);
        (void)bksi_commit_read(&reader, &commit);
        free(copy);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gone_is_its_golden_bytes),
        cmocka_unit_test(the_longest_log_comes_back),
        cmocka_unit_test(a_log_that_cannot_be_is_refused),
        cmocka_unit_test(a_type_that_is_none_is_refused),
        cmocka_unit_test(an_end_that_is_no_tick_is_refused),
        cmocka_unit_test(ballots_and_commits_come_back),
        cmocka_unit_test(random_bytes_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
