// SPDX-License-Identifier: MIT

#include "some_lab.h"

#include "lab/lab_internal.h"

static void a_flipped_bit_is_found_at_its_tick_on_its_peer(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const uint32_t peers = 2 + (uint32_t)seed % 2;
        const uint32_t victim = 1 + (uint32_t)seed % (peers - 1);
        const bks_tick tick = (bks_tick)(40 + 17 * seed);
        char fault[64];
        (void)snprintf(fault, sizeof(fault), "flip=%u@%d:byte", victim, tick);
        const bks_lab_config config = some_lab_config(seed, peers, 300);
        const bks_lab_result result = some_match(&config, "delay=40ms,jitter=10ms,loss=5%", fault);
        assert_false(result.agreed);
        assert_int_equal(result.desync_tick, tick);
        assert_int_equal(result.desync_peers, 1u << victim);
        assert_int_equal(fault_count(&result, "flip"), 1);
        // The desync is found within a round trip and a few ticks, and not before it happened.
        assert_in_range(result.desync_found_tick, tick, tick + 25);
        assert_non_null(strstr(result.reason, "differ from tick"));
    }
}

static void a_flip_of_the_start_and_of_the_end_is_found(void **state)
{
    (void)state;
    static const bks_tick ticks[] = {0, 1, 99, 100};
    for (size_t i = 0; i < 4; i++) {
        char fault[64];
        (void)snprintf(fault, sizeof(fault), "flip=1@%d:byte:5", ticks[i]);
        const bks_lab_config config = some_lab_config(1, 2, 100);
        const bks_lab_result result = some_match(&config, NULL, fault);
        assert_false(result.agreed);
        assert_int_equal(result.desync_tick, ticks[i]);
    }
}

static void the_offset_chooses_the_byte(void **state)
{
    (void)state;
    uint64_t hashes[4] = {0};
    static const char *const faults[] = {"flip=0@50:byte:0", "flip=0@50:byte:1", "flip=0@50:1",
                                         "flip=0@50:byte"};
    for (size_t i = 0; i < 4; i++) {
        const bks_lab_config config = some_lab_config(1, 2, 60);
        bks_lab *lab = some_lab(&config, NULL, faults[i]);
        while (bks_lab_advance(lab, UINT64_MAX)) {
        }
        assert_int_equal(bks_lab_hash(lab, 0, 50, &hashes[i]), BKS_OK);
        bks_lab_destroy(lab);
    }
    assert_true(hashes[0] != hashes[1]);
    assert_true(hashes[1] == hashes[2]);
    assert_true(hashes[3] != hashes[0] && hashes[3] != hashes[1]);
}

static void
a_bit_that_flips_once_stays_flipped_through_rollbacks_and_shows_after_its_tick(void **state)
{
    (void)state;
    static const bks_save_policy policies[] = {BKS_SAVE_EVERY, BKS_SAVE_TWO, BKS_SAVE_ONE,
                                               BKS_SAVE_AUTO};
    uint32_t reached = 0;
    for (uint32_t i = 0; i < 16; i++) {
        bks_lab_config config = some_lab_config(i + 1, 3, 200);
        config.tuning.save = policies[i % 4];
        config.tuning.window_ticks = i < 12 ? 20 : 0;
        config.history_bytes = 1 << 20;
        const bks_lab_result result = some_match(&config, "delay=60ms,loss=3%", "flip=1@100:once");
        assert_int_equal(result.flip_count, 1);
        assert_int_equal(fault_count(&result, "flip"), 1);
        assert_false(result.flips[0].is_beyond);
        assert_true(result.flips[0].is_named);
        assert_int_equal(result.flips[0].is_reached, result.desync_tick != BKS_TICK_NONE);
        assert_int_equal(result.agreed, !result.flips[0].is_reached);
        if (result.flips[0].is_reached) {
            // The first state that is made when the tick is final may be younger by a rollback.
            assert_in_range(result.desync_tick, 101, 125);
            assert_int_equal(result.desync_tick, result.flips[0].flipped_tick);
            assert_string_equal(result.difference.mark, "(start)");
            assert_string_equal(result.difference.place.name, result.flips[0].place.name);
            assert_int_equal(result.desync_peers, 1u << 1);
            reached++;
        }
    }
    assert_true(reached >= 12);
}

static void a_bit_of_the_last_tick_that_flips_once_changes_nothing(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 100);
    const bks_lab_result result = some_match(&config, NULL, "flip=1@100:once:0:1");
    assert_agreed(&result, 100);
    assert_false(result.flips[0].is_reached);
}

static void several_faults_stand_in_one_text(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 100);
    const bks_lab_result result = some_match(&config, NULL, "flip=1@60:byte:3,flip=2@80:byte:3");
    assert_int_equal(result.desync_tick, 60);
    assert_int_equal(result.desync_peers, 1u << 1);
    assert_int_equal(fault_count(&result, "flip"), 2);
}

static void a_wrong_setting_is_named_with_value_and_range(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "flip=2@60:byte",
        "flip=1@101:byte",
        "flip=1@60",
        "flip=1@60:",
        "flip=1@60:byte:",
        "flip=1@60:bytes",
        "flip=1@60:byte:x",
        "flip=@60:byte",
        "flip=1:60:byte",
        "flip=",
        "flip=1@-1:byte",
        "flip=1@60:byte:3x",
        "flip=1@60:byte:99999999999999999999",
        "flip=99999999999@60:byte",
        "flip=1@60:byte:3:8",
        "flip=1@60:once:",
        "flip=1@60:oncebyte",
        "flip=1@60:byte:3:",
        "flip=1@60:byte:3:0:0",
    };
    const bks_lab_config config = some_lab_config(1, 2, 100);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bks_error error = {0};
        assert_int_equal(bks_lab_fault(lab, wrong[i], &error), BKS_ERR_BAD_ARGUMENT);
        if (strstr(error.text, "PEER@TICK:byte|once[:OFFSET[:BIT]] with a peer of 0..1, a tick of "
                               "0..100 and a bit of 0..7") == NULL) {
            fail_msg("%s: \"%s\"", wrong[i], error.text);
        }
    }
    bks_error error = {0};
    assert_int_equal(bks_lab_fault(lab, "flip=1@60:byte,flip=1@70:byte", &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "peer 1 twice"));
    assert_int_equal(bks_lab_fault(NULL, "flip=1@60:byte", NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_fault(lab, NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    // A text that was refused plants nothing.
    while (bks_lab_advance(lab, UINT64_MAX)) {
    }
    bks_lab_result result;
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    assert_agreed(&result, 100);
    assert_int_equal(fault_count(&result, "flip"), 0);
    bks_lab_destroy(lab);
}

static void faults_of_other_versions_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const unknown[] = {"rejoin=1@5s", "", "flop=1@60:byte", "heal=1@5s"};
    const bks_lab_config config = some_lab_config(1, 2, 100);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        bks_error error = {0};
        assert_int_equal(bks_lab_fault(lab, unknown[i], &error), BKS_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.text, unknown[i]));
        assert_non_null(strstr(error.text, i == 0
                                               ? "no peer can join a running match"
                                               : "is no fault, see --fault in 'bks lab --help'"));
    }
    bks_lab_destroy(lab);
}

static void timed_faults_are_read_as_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *again; ///< text when printed; NULL: the same
    } cases[] = {
        {"pause=1@5s+800ms", "pause=1@5000ms+800ms"},
        {"crash=2@10s", "crash=2@10000ms"},
        {"cut=0-1@3s+2s", "cut=0-1@3000ms+2000ms"},
        {"cut=3-1@1.5s+0", "cut=3-1@1500ms+0ms"},
        {"cut=3>1@1500ms+10ms", NULL},
        {"rate=0-1@40s:24kbit", "rate=0-1@40000ms:24kbit"},
        {"rate=2>1@40ms:1001bit", NULL},
        {"rate=2>1@40ms:1000gbit", NULL},
        {"fill=0-1@5s:500ms", "fill=0-1@5000ms:500ms"},
        {"fill=3>0@5ms:1ms", NULL},
        {"split=0.1/2.3@5s+1s", "split=0.1/2.3@5000ms+1000ms"},
        {"split=2/1/0/3@5ms+1ms", "split=2/1/0/3@5ms+1ms"},
        {"drift=1:+200ppm", NULL},
        {"drift=0:-100000ppm", NULL},
        {"clock=1@4s-3s", "clock=1@4000ms-3000ms"},
        {"clock=3@4ms+3ms", NULL},
        {"slow=2@6s+2s:3x", "slow=2@6000ms+2000ms:3.0x"},
        {"slow=2@6ms+2ms:0.5x", NULL},
        {"rebind=1@7s", "rebind=1@7000ms"},
        {"full=1@9s+1s", "full=1@9000ms+1000ms"},
        {"lie=1@8s", "lie=1@8000ms"},
        {"forge=1@5s+2s", "forge=1@5000ms+2000ms"},
        {"pause-game=1@5s+2s", "pause-game=1@5000ms+2000ms"},
        {"speed=0@5s:200%", "speed=0@5000ms:200%"},
        {"speed=3@5ms:25%", NULL},
        {"heal@12s", "heal@12000ms"},
        {"lobby:pause=1@50ms+300ms", NULL},
        {"lobby:split=0/1.2@0+1s", "lobby:split=0/1.2@0ms+1000ms"},
        {"lobby:rate=2>1@40ms:1mbit", NULL},
    };
    const bks_lab_config config = some_lab_config(1, 4, 100);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_lab_faults faults = {0};
        bks_error error = {0};
        char text[128];
        if (bks_lab_faults_parse(&config, cases[i].spec, &faults, &error) != BKS_OK) {
            fail_msg("%s: %s", cases[i].spec, error.text);
        }
        assert_int_equal(faults.timed_count, 1);
        bks_lab_timed_print(&faults.timed[0], text, sizeof(text));
        assert_string_equal(text, cases[i].again != NULL ? cases[i].again : cases[i].spec);
        bks_lab_faults again = {0};
        assert_int_equal(bks_lab_faults_parse(&config, text, &again, NULL), BKS_OK);
        assert_memory_equal(&again.timed[0], &faults.timed[0], sizeof(again.timed[0]));
    }
}

static void wrong_timed_faults_are_named_with_what_they_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *wanted;
    } cases[] = {
        {"pause=4@5s+1s", "pause is '4@5s+1s', must be PEER@TIME+TIME with peers of 0..3"},
        {"pause=1@5s", "must be PEER@TIME+TIME"},
        {"pause-game=1@5s", "pause-game is '1@5s', must be PEER@TIME+TIME"},
        {"speed=1@5s:24%", "must be PEER@TIME:PERCENT% of 25..400"},
        {"speed=1@5s:401%", "must be PEER@TIME:PERCENT% of 25..400"},
        {"speed=1@5s:50", "must be PEER@TIME:PERCENT% of 25..400"},
        {"pause=1@5+1s", "must be PEER@TIME+TIME"},
        {"pause=1@5s+1001s", "times of 0..1000s"},
        {"pause=1@5s+1s ", "must be PEER@TIME+TIME"},
        {"crash=1", "must be PEER@TIME"},
        {"crash=1@1s,crash=1@2s", "crash names peer 1 twice"},
        {"cut=1-1@5s+1s", "must be PEER-PEER@TIME+TIME"},
        {"cut=1@5s+1s", "must be PEER-PEER@TIME+TIME"},
        {"cut=1>1@5s+1s", "must be PEER-PEER@TIME+TIME or PEER>PEER@TIME+TIME"},
        {"rate=0-1@5s:999bit", "rate is '0-1@5s:999bit', must be PEER-PEER@TIME:RATE or"},
        {"rate=0-1@5s", "of 1kbit..1000gbit"},
        {"rate=0-1@5s:1mbit ", "of 1kbit..1000gbit"},
        {"rate=0-0@5s:1mbit", "of 1kbit..1000gbit"},
        {"fill=0-1@5s:501ms", "fill is '0-1@5s:501ms', must be PEER-PEER@TIME:TIME"},
        {"split=0.1@5s+1s", "with 2 to 4 groups"},
        {"split=0/0@5s+1s", "with 2 to 4 groups"},
        {"split=0/@5s+1s", "with 2 to 4 groups"},
        {"drift=1:200ppm", "PEER:+PPMppm"},
        {"drift=1:+100001ppm", "at most 100000"},
        {"drift=1:+5ppm,drift=1:-5ppm", "twice"},
        {"clock=1@4s", "PEER@TIME+TIME or PEER@TIME-TIME"},
        {"slow=1@4s+1s:0x", "factor of 0.1..100"},
        {"slow=1@4s+1s:101x", "factor of 0.1..100"},
        {"slow=1@4s+1s:3", "factor of 0.1..100"},
        {"rebind=@7s", "must be PEER@TIME"},
        {"full=1@9s+", "must be PEER@TIME+TIME"},
        {"lie=1@1s,lie=1@2s", "lie names peer 1 twice"},
        {"forge=1@5s", "must be PEER@TIME+TIME"},
        {"forge=1@1s+1s,forge=1@3s+1s", "forge names peer 1 twice"},
        {"heal@", "must be TIME"},
        {"lobby:heal@1s", "heal stands behind lobby:, must be a fault of the match"},
        {"lobby:lie=1@1s", "lie stands behind lobby:"},
        {"lobby:forge=1@1s+1s", "forge stands behind lobby:"},
    };
    const bks_lab_config config = some_lab_config(1, 4, 100);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_lab_faults faults = {0};
        bks_error error = {0};
        assert_int_equal(bks_lab_faults_parse(&config, cases[i].spec, &faults, &error),
                         BKS_ERR_BAD_ARGUMENT);
        if (strstr(error.text, cases[i].wanted) == NULL) {
            fail_msg("%s: \"%s\"", cases[i].spec, error.text);
        }
    }
}

static void there_is_a_most_of_timed_faults(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 2, 100);
    bks_lab_faults faults = {0};
    for (uint32_t i = 0; i < BKS_LAB_TIMED_MAX; i++) {
        assert_int_equal(bks_lab_faults_parse(&config, "pause=1@1s+1ms", &faults, NULL), BKS_OK);
    }
    bks_error error = {0};
    assert_int_equal(bks_lab_faults_parse(&config, "pause=1@1s+1ms", &faults, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "must be at most 64"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit_is_found_at_its_tick_on_its_peer),
        cmocka_unit_test(a_flip_of_the_start_and_of_the_end_is_found),
        cmocka_unit_test(the_offset_chooses_the_byte),
        cmocka_unit_test(
            a_bit_that_flips_once_stays_flipped_through_rollbacks_and_shows_after_its_tick),
        cmocka_unit_test(a_bit_of_the_last_tick_that_flips_once_changes_nothing),
        cmocka_unit_test(several_faults_stand_in_one_text),
        cmocka_unit_test(a_wrong_setting_is_named_with_value_and_range),
        cmocka_unit_test(faults_of_other_versions_are_refused_by_name),
        cmocka_unit_test(timed_faults_are_read_as_they_are_written),
        cmocka_unit_test(wrong_timed_faults_are_named_with_what_they_must_be),
        cmocka_unit_test(there_is_a_most_of_timed_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
