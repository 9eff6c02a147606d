// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/seed.h"
#include "wire/mesh_messages.h"
#include "wire/wire_bytes.h"

#define OTHERS 0x5Au ///< peers 1, 3, 4 and 6

static bksi_mesh_part some_part(void)
{
    bksi_mesh_part part;
    bksi_mesh_part_plain(UINT8_MAX, &part);
    part.heartbeat = 0x1234;
    return part;
}

static size_t write_part(const bksi_mesh_part *part, uint32_t others, bks_tick head, uint8_t *bytes,
                         size_t capacity)
{
    bksi_bit_writer writer = bksi_bit_writer_over(bytes, capacity);
    bksi_mesh_part_write(&writer, others, head, part);
    assert_false(writer.failed);
    return bksi_bit_writer_bytes(&writer);
}

static bool read_part(const uint8_t *bytes, size_t count, uint32_t others, bks_tick head,
                      bksi_mesh_part *part)
{
    uint8_t *copy = exact_copy(bytes, count);
    bksi_bit_reader reader = bksi_bit_reader_over(copy, count);
    bool is_ok = bksi_mesh_part_read(&reader, others, head, part);
    free(copy);
    return is_ok;
}

static void assert_same(const bksi_mesh_part *a, const bksi_mesh_part *b, uint32_t others)
{
    assert_int_equal(a->view, b->view);
    assert_int_equal(a->view_hash, b->view_hash);
    assert_int_equal(a->heartbeat, b->heartbeat);
    assert_int_equal(a->complete, b->complete);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bksi_mesh_other *one = &a->others[i];
        const bksi_mesh_other *other = &b->others[i];
        if ((others >> i & 1) == 0) {
            continue;
        }
        assert_int_equal(one->is_fine, other->is_fine);
        assert_int_equal(one->has_heartbeat, other->has_heartbeat);
        if (!one->is_fine) {
            assert_int_equal(one->need, other->need);
        }
        if (one->has_heartbeat) {
            assert_int_equal(one->heartbeat, other->heartbeat);
        }
    }
}

static void a_part_is_its_golden_bytes(void **context)
{
    (void)context;
    bksi_mesh_part part = some_part();
    part.others[3] = (bksi_mesh_other){.need = 98, .has_heartbeat = true, .heartbeat = 0x0FFF};
    uint8_t bytes[BKSI_MESH_PART_BYTES_MAX];
    // view 0, heartbeat, none complete; peer 1 is fine; peer 3 is not: 5 folded is 10, and its
    // heartbeat
    size_t count = write_part(&part, 0x0A, 103, bytes, sizeof(bytes));
    assert_bytes(bytes, count, "a09184f2ff01");
    bksi_mesh_part back;
    assert_true(read_part(bytes, count, 0x0A, 103, &back));
    assert_same(&part, &back, 0x0A);
}

static void random_parts_come_back_and_fit(void **context)
{
    (void)context;
    for (uint32_t round = 0; round < 5000; round++) {
        bksi_mesh_part part = {.view = seed_below(8),
                               .heartbeat = seed_below(1u << BKSI_HEARTBEAT_BITS)};
        part.view_hash = part.view > 0 ? (uint32_t)seed_next() : 0;
        part.complete = seed_below(2) == 0 ? 0 : seed_below(256);
        bks_tick head = (bks_tick)seed_below(1000000);
        for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
            part.others[i] = (bksi_mesh_other){
                .is_fine = seed_below(2) == 0,
                .has_heartbeat = seed_below(2) == 0,
                .need = (bks_tick)seed_below(round % 2 == 0 ? 2000000 : (uint32_t)head + 40),
                .heartbeat = seed_below(1u << BKSI_HEARTBEAT_BITS),
            };
        }
        uint32_t others = OTHERS | seed_below(64) % 3 << 5;
        others &= 0x7E; // at most six
        uint8_t bytes[BKSI_MESH_PART_BYTES_MAX];
        size_t count = write_part(&part, others, head, bytes, sizeof(bytes));
        bksi_mesh_part back;
        assert_true(read_part(bytes, count, others, head, &back));
        assert_same(&part, &back, others);
        bool is_cut_off = !read_part(bytes, count > 4 ? count - 4 : 0, others, head, &back);
        assert_true(is_cut_off || count <= 4);
    }
}

static void the_longest_part_fits(void **context)
{
    (void)context;
    bksi_mesh_part part = {
        .view = 7, .view_hash = UINT32_MAX, .heartbeat = 0x3FFF, .complete = 0xFF};
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        part.others[i] =
            (bksi_mesh_other){.need = INT32_MAX / 2, .has_heartbeat = true, .heartbeat = 0x3FFF};
    }
    uint8_t bytes[BKSI_MESH_PART_BYTES_MAX];
    assert_int_equal(write_part(&part, 0x3F, 0, bytes, sizeof(bytes)), sizeof(bytes));
}

static void only_a_mesh_part_that_is_left_out_is_plain(void **context)
{
    (void)context;
    bksi_mesh_part part = some_part();
    assert_true(bksi_mesh_part_is_plain(OTHERS, &part));
    part.others[0].is_fine = false; // none of the others
    assert_true(bksi_mesh_part_is_plain(OTHERS, &part));
    for (uint32_t i = 0; i < 4; i++) {
        part = some_part();
        part.view = i == 0 ? 1 : 0;
        part.complete = i == 1 ? 4 : 0;
        part.others[3].is_fine = i != 2;
        part.others[3].has_heartbeat = i == 3;
        assert_false(bksi_mesh_part_is_plain(OTHERS, &part));
    }
}

static void a_need_that_is_no_tick_is_refused(void **context)
{
    (void)context;
    bksi_mesh_part part = some_part();
    part.others[1] = (bksi_mesh_other){.need = 5};
    uint8_t bytes[BKSI_MESH_PART_BYTES_MAX];
    size_t count = write_part(&part, 2, 100, bytes, sizeof(bytes));
    bksi_mesh_part back;
    assert_true(read_part(bytes, count, 2, 95, &back));
    assert_int_equal(back.others[1].need, 0);
    assert_false(read_part(bytes, count, 2, 94, &back));
}

static void a_relay_names_its_sender_its_receiver_and_how_far_it_came(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_RELAY_HEAD_BYTES];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_relay_head_write(&writer, &(bksi_relay_head){.origin = 7, .target = 2, .passes = 3});
    assert_bytes(bytes, writer.at, "070203");
    bksi_relay_head head;
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, sizeof(bytes));
    assert_true(bksi_relay_head_read(&reader, &head));
    assert_int_equal(head.origin, 7);
    assert_int_equal(head.target, 2);
    assert_int_equal(head.passes, 3);
    reader = bksi_byte_reader_over(bytes, 2);
    assert_false(bksi_relay_head_read(&reader, &head));
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t wrong[] = {i == 0 ? 8 : 1, i == 1 ? 8 : i == 2 ? 1 : 2, 0};
        reader = bksi_byte_reader_over(wrong, sizeof(wrong));
        assert_false(bksi_relay_head_read(&reader, &head));
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_its_golden_bytes),
        cmocka_unit_test(random_parts_come_back_and_fit),
        cmocka_unit_test(the_longest_part_fits),
        cmocka_unit_test(only_a_mesh_part_that_is_left_out_is_plain),
        cmocka_unit_test(a_need_that_is_no_tick_is_refused),
        cmocka_unit_test(a_relay_names_its_sender_its_receiver_and_how_far_it_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
