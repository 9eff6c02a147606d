// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "support/seed.h"
#include "wire/speed.h"
#include "wire/wire_bytes.h"

/// The example of docs/spec/wire.md.
static const bksi_speed_decision golden = {.number = 0x1234,
                                           .tick = 0x01020304,
                                           .is_paused = true,
                                           .percent = 100,
                                           .by = 2,
                                           .excused = 4,
                                           .asker = 2,
                                           .wish = 9,
                                           .answer = BKSI_SPEED_GRANTED};

static void a_decision_is_its_golden_bytes(void **context)
{
    (void)context;
    uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
    bksi_speed_decision_write(&golden, bytes);
    assert_bytes(bytes, sizeof(bytes), "3412040302816444a00400");
}

static void a_wish_is_its_golden_bytes(void **context)
{
    (void)context;
    const bksi_speed_wish wish = {.number = 9, .kind = BKSI_WISH_SPEED, .percent = 400};
    uint8_t bytes[BKSI_SPEED_WISH_BYTES];
    bksi_speed_wish_write(&wish, bytes);
    assert_bytes(bytes, sizeof(bytes), "094006");
}

static void decisions_come_back_as_they_were(void **context)
{
    (void)context;
    for (uint32_t round = 0; round < seed_rounds(20000); round++) {
        const uint8_t wish = (uint8_t)seed_next();
        const bksi_speed_decision decision = {
            .number = (uint16_t)(1 + seed_below(UINT16_MAX)),
            .tick = (bks_tick)seed_below(INT32_MAX),
            .is_paused = seed_below(2) == 1,
            .percent = BKS_SPEED_MIN + seed_below(BKS_SPEED_MAX - BKS_SPEED_MIN + 1),
            .by = seed_below(BKS_PEERS_MAX),
            .excused = seed_below(256),
            .asker = seed_below(BKS_PEERS_MAX),
            .wish = wish,
            .answer = wish > 0 ? (bksi_speed_answer)seed_below(BKSI_SPEED_TOO_LATE + 1)
                               : BKSI_SPEED_GRANTED};
        uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
        bksi_speed_decision_write(&decision, bytes);
        bksi_speed_decision back;
        assert_true(bksi_speed_decision_read(bytes, &back));
        assert_int_equal(back.number, decision.number);
        assert_int_equal(back.tick, decision.tick);
        assert_int_equal(back.is_paused, decision.is_paused);
        assert_int_equal(back.percent, decision.percent);
        assert_int_equal(back.by, decision.by);
        assert_int_equal(back.excused, decision.excused);
        assert_int_equal(back.asker, decision.asker);
        assert_int_equal(back.wish, decision.wish);
        assert_int_equal(back.answer, decision.answer);
    }
}

static bool is_taken(bksi_speed_decision decision, uint8_t last)
{
    uint8_t bytes[BKSI_SPEED_DECISION_BYTES];
    bksi_speed_decision_write(&decision, bytes);
    bytes[sizeof(bytes) - 1] |= last;
    bksi_speed_decision back;
    return bksi_speed_decision_read(bytes, &back);
}

static void a_decision_that_cannot_be_is_refused(void **context)
{
    (void)context;
    bksi_speed_decision decision = golden;
    assert_true(is_taken(decision, 0));
    assert_false(is_taken(decision, 0x80)); // bits after its end
    decision.number = 0;
    assert_false(is_taken(decision, 0));
    decision = golden;
    decision.percent = BKS_SPEED_MIN - 1;
    assert_false(is_taken(decision, 0));
    decision.percent = BKS_SPEED_MAX + 1;
    assert_false(is_taken(decision, 0));
    decision = golden;
    decision.answer = (bksi_speed_answer)(BKSI_SPEED_TOO_LATE + 1);
    assert_false(is_taken(decision, 0));
    decision.answer = BKSI_SPEED_TOO_LATE;
    assert_true(is_taken(decision, 0));
    decision.wish = 0; // an answer to no wish
    assert_false(is_taken(decision, 0));
}

static bool is_wish(uint8_t number, uint32_t kind, uint32_t percent)
{
    const bksi_speed_wish wish = {
        .number = number, .kind = (bksi_speed_wish_kind)kind, .percent = percent};
    uint8_t bytes[BKSI_SPEED_WISH_BYTES];
    bksi_speed_wish_write(&wish, bytes);
    bksi_speed_wish back;
    const bool is_read = bksi_speed_wish_read(bytes, &back);
    assert_true(!is_read ||
                (back.number == number && (uint32_t)back.kind == kind && back.percent == percent));
    return is_read;
}

static void a_wish_that_cannot_be_is_refused(void **context)
{
    (void)context;
    assert_true(is_wish(1, BKSI_WISH_PAUSE, 0) && is_wish(255, BKSI_WISH_RESUME, 0));
    assert_true(is_wish(1, BKSI_WISH_SPEED, BKS_SPEED_MIN));
    assert_true(is_wish(1, BKSI_WISH_SPEED, BKS_SPEED_MAX));
    assert_true(is_wish(1, BKSI_WISH_RESUME, 100)); // both at once
    assert_false(is_wish(0, BKSI_WISH_PAUSE, 0));
    assert_false(is_wish(1, 0, 0));
    assert_false(is_wish(1, 3, 100));
    assert_false(is_wish(1, BKSI_WISH_PAUSE, BKS_SPEED_MIN - 1));
    assert_false(is_wish(1, BKSI_WISH_SPEED, BKS_SPEED_MIN - 1));
    assert_false(is_wish(1, BKSI_WISH_SPEED, BKS_SPEED_MAX + 1));
    const uint8_t beyond[BKSI_SPEED_WISH_BYTES] = {1, BKSI_WISH_PAUSE, 0x80};
    bksi_speed_wish back;
    assert_false(bksi_speed_wish_read(beyond, &back));
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 20261129);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decision_is_its_golden_bytes),
        cmocka_unit_test(a_wish_is_its_golden_bytes),
        cmocka_unit_test(decisions_come_back_as_they_were),
        cmocka_unit_test(a_decision_that_cannot_be_is_refused),
        cmocka_unit_test(a_wish_that_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
