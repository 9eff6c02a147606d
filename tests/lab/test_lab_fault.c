// SPDX-License-Identifier: MIT

#include "some_lab.h"

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
        // Found within a round trip and a few ticks, and not before it happened.
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

static void several_faults_stand_in_one_text(void **state)
{
    (void)state;
    const bks_lab_config config = some_lab_config(1, 3, 100);
    const bks_lab_result result = some_match(&config, NULL, "flip=1@60:byte:3,flip=2@80:byte:3");
    assert_int_equal(result.desync_tick, 60);
    assert_int_equal(result.desync_peers, 1u << 1);
    assert_int_equal(fault_count(&result, "flip"), 2);
}

static void what_is_wrong_is_named_with_value_and_range(void **state)
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
    };
    const bks_lab_config config = some_lab_config(1, 2, 100);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bks_error error = {0};
        assert_int_equal(bks_lab_fault(lab, wrong[i], &error), BKS_ERR_BAD_ARGUMENT);
        if (strstr(error.text,
                   "PEER@TICK:byte[:OFFSET] with a peer of 0..1 and a tick of 0..100") == NULL) {
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
    assert_int_equal(bks_lab_get_result(lab, &result), BKS_OK);
    assert_agreed(&result, 100);
    assert_int_equal(fault_count(&result, "flip"), 0);
    bks_lab_destroy(lab);
}

static void faults_of_other_versions_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const unknown[] = {"crash=1@5s", "pause=1@5s+800ms", "", "flop=1@60:byte"};
    const bks_lab_config config = some_lab_config(1, 2, 100);
    bks_lab *lab = some_lab(&config, NULL, NULL);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        bks_error error = {0};
        assert_int_equal(bks_lab_fault(lab, unknown[i], &error), BKS_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.text, unknown[i]));
        assert_non_null(strstr(error.text, "flip=PEER@TICK:byte[:OFFSET]"));
    }
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit_is_found_at_its_tick_on_its_peer),
        cmocka_unit_test(a_flip_of_the_start_and_of_the_end_is_found),
        cmocka_unit_test(the_offset_chooses_the_byte),
        cmocka_unit_test(several_faults_stand_in_one_text),
        cmocka_unit_test(what_is_wrong_is_named_with_value_and_range),
        cmocka_unit_test(faults_of_other_versions_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
