// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/common/session_config.h"
#include "support/says.h"

/// A value of one field is refused, the one next to it is not.
static void expect_limit(uint32_t *field, const bks_tuning *tuning, uint32_t good, uint32_t bad,
                         const char *range)
{
    const uint32_t was = *field;
    bks_error error;
    *field = good;
    assert_int_equal(bksi_tuning_check(tuning, "call", NULL), BKS_OK);
    *field = bad;
    assert_int_equal(bksi_tuning_check(tuning, "call", &error), BKS_ERR_BAD_CONFIG);
    assert_says(error.text, range);
    *field = was;
}

static void the_default_is_in_range_and_so_is_auto(void **state)
{
    (void)state;
    bks_tuning tuning = bks_tuning_default();
    assert_int_equal(bksi_tuning_check(&tuning, "call", NULL), BKS_OK);
    assert_int_equal(tuning.window_ticks, 20);
    assert_int_equal(tuning.delay_ticks, BKS_AUTO);
    tuning.window_ticks = BKS_AUTO;
    bks_error error;
    assert_int_equal(bksi_tuning_check(&tuning, "call", &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "tuning.window_ticks");
}

static void each_field_has_its_limits(void **state)
{
    (void)state;
    bks_tuning t = bks_tuning_default();
    expect_limit(&t.window_ticks, &t, BKS_WINDOW_MAX, BKS_WINDOW_MAX + 1, "window_ticks is");
    expect_limit(&t.delay_ticks, &t, BKS_DELAY_MAX, BKS_DELAY_MAX + 1, "delay_ticks is");
    expect_limit(&t.budget_us, &t, 1000000, 1000001, "must be 0..1000000 or BKS_AUTO");
    expect_limit(&t.hash_every_ticks, &t, 1, 0, "hash_every_ticks is 0, must be 1..1000");
    expect_limit(&t.hash_every_ticks, &t, 1000, 1001, "or BKS_AUTO");
    expect_limit(&t.notify_after_ms, &t, 100, 99, "notify_after_ms is 99, must be 100..60000");
    expect_limit(&t.drop_after_ms, &t, 1000, 999, "must be 1000..600000");
    expect_limit(&t.drop_after_ms, &t, 600000, 600001, "drop_after_ms is 600001");
    expect_limit(&t.guest_pauses, &t, 31, 32, "must be 0..31");
    expect_limit(&t.keep_ticks, &t, 0, 257, "keep_ticks is 257, must be 0..256");
    expect_limit(&t.keep_ticks, &t, 256, 1000, "must be 0..256");
    expect_limit(&t.bulk_bytes, &t, 1024, 1023, "bulk_bytes is 1023, must be 1024..268435456");
    expect_limit(&t.bulk_bytes, &t, BKS_BULK_BYTES_MAX, BKS_BULK_BYTES_MAX + 1, "1024..268435456");
    t.pace = (bks_pace)(BKS_PACE_NONE + 1);
    assert_int_equal(bksi_tuning_check(&t, "call", NULL), BKS_ERR_BAD_CONFIG);
    t.pace = BKS_PACE_NONE;
    t.save = (bks_save_policy)(BKS_SAVE_AUTO + 1);
    assert_int_equal(bksi_tuning_check(&t, "call", NULL), BKS_ERR_BAD_CONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_is_in_range_and_so_is_auto),
        cmocka_unit_test(each_field_has_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
