// SPDX-License-Identifier: MIT

#include "backstitch/det.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "det/some_jobs.h"
#include "support/catch_log.h"
#include "support/seed.h"

static void *make_gather(const bks_gather_shape *shape)
{
    const size_t words = BKS_GATHER_WORDS(shape->jobs, shape->results, shape->result_bytes);
    void *gather = calloc(words, sizeof(uint64_t)); // the address sanitizer sees the end
    assert_non_null(gather);
    return gather;
}

static void assert_is_sorted(void *gather)
{
    uint64_t at = 0;
    for (uint32_t job = 0; job < SOME_JOBS; job++) {
        for (uint32_t i = 0; i < some_count(job); i++) {
            uint32_t of_job = UINT32_MAX;
            const some_result *result = bks_gather_next(gather, &some_shape, &at, &of_job);
            assert_non_null(result);
            assert_int_equal(of_job, job);
            assert_int_equal(result->job, job);
            assert_int_equal(result->index, i);
            assert_int_equal((uintptr_t)result % 8, 0);
        }
    }
    assert_null(bks_gather_next(gather, &some_shape, &at, NULL));
    assert_null(bks_gather_next(gather, &some_shape, &at, NULL));
}

static void results_come_by_job_and_index_in_whatever_order_jobs_ran(void **state)
{
    (void)state;
    uint32_t order[SOME_JOBS];
    for (uint32_t round = 0; round < 50; round++) {
        uint64_t *gather = make_gather(&some_shape);
        memset(gather, (int)round, SOME_WORDS * sizeof(*gather));
        for (uint32_t i = 0; i < SOME_JOBS; i++) {
            const uint32_t other = seed_below(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        assert_int_equal(bks_gather_begin(gather, &some_shape, SOME_JOBS), BKS_OK);
        for (uint32_t i = 0; i < SOME_JOBS; i++) {
            some_job(gather, order[i]);
        }
        assert_int_equal(bks_gather_end(gather, &some_shape, NULL), BKS_OK);
        assert_is_sorted(gather);
        free(gather);
    }
}

static void a_gather_has_the_same_bytes_in_whatever_order_jobs_ran(void **state)
{
    (void)state;
    uint64_t *up = make_gather(&some_shape);
    uint64_t *down = make_gather(&some_shape);
    for (uint32_t run = 0; run < 3; run++) {
        const uint32_t jobs = SOME_JOBS - 7 * run; // leaves results of the run before behind
        assert_int_equal(bks_gather_begin(up, &some_shape, jobs), BKS_OK);
        assert_int_equal(bks_gather_begin(down, &some_shape, jobs), BKS_OK);
        for (uint32_t i = 0; i < jobs; i++) {
            some_job(up, i);
            some_job(down, jobs - 1 - i);
        }
        assert_memory_equal(up, down, SOME_WORDS * sizeof(*up));
    }
    free(up);
    free(down);
}

static void a_result_begins_as_zeros(void **state)
{
    (void)state;
    static const some_result zero;
    uint64_t *gather = make_gather(&some_shape);
    memset(gather, 0xee, SOME_WORDS * sizeof(*gather));
    assert_int_equal(bks_gather_begin(gather, &some_shape, 2), BKS_OK);
    const some_result *result = bks_gather_add(gather, &some_shape, 1);
    assert_memory_equal(result, &zero, sizeof(zero));
    free(gather);
}

static void a_job_without_room_is_reported_and_what_had_room_is_kept(void **state)
{
    (void)state;
    bks_error error = {0};
    catch_log log;
    uint64_t *gather = make_gather(&some_shape);
    assert_int_equal(bks_gather_begin(gather, &some_shape, SOME_JOBS), BKS_OK);
    for (uint32_t i = 0; i < SOME_RESULTS + 3; i++) {
        assert_true((bks_gather_add(gather, &some_shape, 9) != NULL) == (i < SOME_RESULTS));
        assert_true((bks_gather_add(gather, &some_shape, 4) != NULL) == (i < SOME_RESULTS));
    }
    (void)bks_gather_add(gather, &some_shape, 4);
    catch_log_begin(&log);
    assert_int_equal(bks_gather_end(gather, &some_shape, &error), BKS_ERR_FULL);
    bks_log_clear_sink();
    assert_string_equal(error.field, "shape.results");
    assert_string_equal(error.text,
                        "job 4 added 10 results, must be at most 6, as shape.results has it");
    assert_string_equal(log.text, error.text);
    uint64_t at = 0;
    uint32_t kept = 0;
    while (bks_gather_next(gather, &some_shape, &at, NULL) != NULL) {
        kept++;
    }
    assert_int_equal(kept, 2 * SOME_RESULTS);
    free(gather);
}

static void a_run_of_no_jobs_has_no_results(void **state)
{
    (void)state;
    uint64_t at = 0;
    uint64_t *gather = make_gather(&some_shape);
    assert_null(bks_gather_next(gather, &some_shape, &at, NULL)); // memory that is all zero
    assert_int_equal(bks_gather_begin(gather, &some_shape, 0), BKS_OK);
    assert_int_equal(bks_gather_end(gather, &some_shape, NULL), BKS_OK);
    assert_null(bks_gather_next(gather, &some_shape, &at, NULL));
    free(gather);
}

static void a_job_beyond_the_run_adds_nothing(void **state)
{
    (void)state;
    catch_log log;
    uint64_t *gather = make_gather(&some_shape);
    catch_log_begin(&log);
    assert_int_equal(bks_gather_begin(gather, &some_shape, 3), BKS_OK);
    assert_null(bks_gather_add(gather, &some_shape, 3));
    assert_string_equal(log.text, "job is 3, must be below the 3 of bks_gather_begin()");
    assert_int_equal(bks_gather_begin(gather, &some_shape, SOME_JOBS + 1), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(log.text, "jobs is 24, must be 0..23"));
    bks_log_clear_sink();
    free(gather);
}

static void a_shape_out_of_its_ranges_is_refused(void **state)
{
    (void)state;
    uint64_t gather[2] = {0};
    const struct {
        bks_gather_shape shape;
        const char *text;
    } cases[] = {
        {{0, 1, 1}, "shape.jobs is 0, must be 1..65536"},
        {{BKS_JOBS_MAX + 1, 1, 1}, "shape.jobs is 65537"},
        {{1, 0, 1}, "shape.results is 0, must be 1..65536"},
        {{1, BKS_GATHER_RESULTS_MAX + 1, 1}, "shape.results is 65537"},
        {{1, 1, 0}, "shape.result_bytes is 0, must be 1..65536"},
        {{1, 1, BKS_GATHER_RESULT_BYTES_MAX + 1}, "shape.result_bytes is 65537"},
        {{BKS_JOBS_MAX, BKS_GATHER_RESULTS_MAX, BKS_GATHER_RESULT_BYTES_MAX},
         "shape takes 35184372154369 words of 8 bytes, must be at most 134217728"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_error error = {0};
        assert_int_equal(bks_gather_end(gather, &cases[i].shape, &error), BKS_ERR_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, cases[i].text));
    }
}

static void no_damage_leads_out_of_a_gather(void **state)
{
    (void)state;
    bks_log_clear_sink();
    for (uint32_t round = 0; round < seed_rounds(2000); round++) {
        uint64_t *gather = make_gather(&some_shape);
        for (uint32_t i = 0; i < SOME_WORDS; i++) {
            gather[i] = seed_next();
        }
        uint64_t at = seed_below(3) == 0 ? seed_next() : 0;
        uint32_t walked = 0;
        while (bks_gather_next(gather, &some_shape, &at, NULL) != NULL) {
            walked++;
        }
        assert_in_range(walked, 0, SOME_JOBS * SOME_RESULTS);
        (void)!bks_gather_end(gather, &some_shape, NULL);
        some_job(gather, seed_below(SOME_JOBS));
        free(gather);
    }
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 7);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_by_job_and_index_in_whatever_order_jobs_ran),
        cmocka_unit_test(a_gather_has_the_same_bytes_in_whatever_order_jobs_ran),
        cmocka_unit_test(a_result_begins_as_zeros),
        cmocka_unit_test(a_job_without_room_is_reported_and_what_had_room_is_kept),
        cmocka_unit_test(a_run_of_no_jobs_has_no_results),
        cmocka_unit_test(a_job_beyond_the_run_adds_nothing),
        cmocka_unit_test(a_shape_out_of_its_ranges_is_refused),
        cmocka_unit_test(no_damage_leads_out_of_a_gather),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
