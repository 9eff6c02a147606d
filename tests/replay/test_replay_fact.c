// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "recording.h"
#include "replay/format/replay_event.h"

static bksi_record record_of(const uint8_t *payload, size_t count)
{
    return (bksi_record){
        .type = BKSI_RECORD_FACT, .payload = payload, .payload_bytes = count, .offset = 1000};
}

static void a_fact_holds_where_its_answer_stands(void **state)
{
    (void)state;
    uint8_t payload[12] = {0};
    bksi_put_u32(payload, 77);
    bksi_put_u32(payload + 4, 5);
    const bksi_record record = record_of(payload, sizeof(payload));
    bksi_fact_place fact;
    assert_true(bksi_fact_read(&fact, &record));
    assert_int_equal(fact.tick, 77);
    assert_int_equal(fact.question, 5);
    assert_int_equal(fact.count, 4);
    assert_int_equal(fact.offset, 1000 + BKSI_RECORD_HEAD_BYTES + 8);
}

static void fact_out_of_its_bounds_is_wrong(void **state)
{
    (void)state;
    static uint8_t payload[BKSI_FACT_HEAD_BYTES + BKS_ANSWER_BYTES_MAX + 1];
    bksi_fact_place fact;
    for (size_t count = 0; count <= BKSI_FACT_HEAD_BYTES; count++) {
        const bksi_record record = record_of(payload, count);
        assert_false(bksi_fact_read(&fact, &record));
    }
    bksi_record record = record_of(payload, sizeof(payload) - 1);
    assert_true(bksi_fact_read(&fact, &record));
    record = record_of(payload, sizeof(payload));
    assert_false(bksi_fact_read(&fact, &record));
    bksi_put_u32(payload, 0x80000000u);
    record = record_of(payload, 9);
    assert_false(bksi_fact_read(&fact, &record));
}

static void writer_takes_facts_in_the_order_of_ticks(void **state)
{
    (void)state;
    memory_file file;
    memory_file_init(&file);
    const bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    static const uint8_t answer[BKS_ANSWER_BYTES_MAX + 1];
    assert_int_equal(bks_replay_writer_fact(writer, -1, 1, answer, 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_fact(writer, 7, 1, answer, 1), BKS_OK);
    const size_t count = file.count;
    assert_int_equal(bks_replay_writer_fact(writer, 6, 1, answer, 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_fact(writer, 7, 2, answer, 0), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_fact(writer, 7, 2, answer, sizeof(answer)),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_fact(writer, 7, 2, NULL, 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_replay_writer_fact(NULL, 7, 2, answer, 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(file.count, count);
    assert_int_equal(bks_replay_writer_fact(writer, 7, 2, answer, sizeof(answer) - 1), BKS_OK);
    bks_replay_writer_destroy(writer);
    memory_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fact_holds_where_its_answer_stands),
        cmocka_unit_test(fact_out_of_its_bounds_is_wrong),
        cmocka_unit_test(writer_takes_facts_in_the_order_of_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
