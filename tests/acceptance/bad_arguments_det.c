// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/det.h"
#include "backstitch/math.h"
#include "bad_arguments.h"

static void of_numbers(void)
{
    ALLOWS(bks_to_int32(-1e300) == INT32_MIN && bks_to_uint32(-1.0) == 0);
    ALLOWS(bks_to_int64(1e300) == INT64_MAX && bks_to_uint64(1e300) == UINT64_MAX);
    ALLOWS(bks_add_int32(INT32_MAX, 1) == INT32_MAX);
    ALLOWS(bks_subtract_int32(INT32_MIN, 1) == INT32_MIN);
    ALLOWS(bks_multiply_int32(INT32_MIN, -1) == INT32_MAX);
}

static void of_floats(void)
{
    const bks_float_environment before = bks_float_enter();
    ALLOWS(bks_float_faults() == 0 && bks_float_enter().x87 == bks_float_enter().x87);
    ALLOWS(bks_float_leave(&before) == 0);
    REFUSES(bks_float_leave(NULL) == 0, "before", NULL);
    ALLOWS(bks_float_faults_text(0)[0] == '\0' && strlen(bks_float_faults_text(UINT32_MAX)) > 0);
}

static int no_order(void *context, const void *a, const void *b)
{
    (void)context;
    (void)a;
    (void)b;
    return 0;
}

static void of_sort(void)
{
    char items[2] = {0};
    REFUSES((bks_sort(NULL, 2, 1, no_order, NULL), true), "items", NULL);
    REFUSES((bks_sort(items, 2, 0, no_order, NULL), true), "item_bytes", NULL);
    REFUSES((bks_sort(items, 2, 1, NULL, NULL), true), "compare", NULL);
    ALLOWS((bks_sort(NULL, 0, 1, no_order, NULL), true));
}

static void of_table(void)
{
    static const bks_table_shape shape = {.capacity = 2, .key_bytes = 4, .item_bytes = 8};
    static const bks_table_shape no_keys = {.capacity = 2, .item_bytes = 8};
    uint64_t table[BKS_TABLE_WORDS(2, 4, 8)] = {0};
    const uint32_t key = 1;
    uint32_t at = 0;
    REFUSES(bks_table_find(NULL, &shape, &key) == NULL, "table", NULL);
    REFUSES(bks_table_find(table, NULL, &key) == NULL, "shape", NULL);
    REFUSES(bks_table_find(table, &shape, NULL) == NULL, "key", NULL);
    REFUSES(bks_table_put(table, &no_keys, &key) == NULL, "shape.key_bytes", "1..65536");
    REFUSES(bks_table_put(table, &shape, NULL) == NULL, "key", NULL);
    REFUSES(!bks_table_remove(table, &shape, NULL), "key", NULL);
    REFUSES(bks_table_count(NULL, &shape) == 0, "table", NULL);
    REFUSES(bks_table_next(table, &shape, NULL, NULL) == NULL, "at", NULL);
    ALLOWS(bks_table_next(table, &shape, &at, NULL) == NULL);
    REFUSES((bks_table_sort(NULL, &shape, NULL, NULL), true), "table", NULL);
    ALLOWS((bks_table_sort(table, &shape, NULL, NULL), true));
}

static void no_job(void *work, uint32_t number)
{
    (void)work;
    (void)number;
}

static void of_jobs(void)
{
    bks_threads *threads = NULL;
    ALLOWS(bks_jobs_run(NULL, 1, no_job, NULL) == BKS_OK);
    ALLOWS(bks_jobs_run(NULL, 0, NULL, NULL) == BKS_OK);
    REFUSES(bks_jobs_run(NULL, 1, NULL, NULL) == BKS_ERR_BAD_ARGUMENT, "job", NULL);
    REFUSES(bks_jobs_run(NULL, BKS_JOBS_MAX + 1, no_job, NULL) == BKS_ERR_BAD_ARGUMENT, "jobs",
            "0..65536");
    REFUSES(bks_threads_create(BKS_THREADS_MAX + 1, NULL, &threads, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "workers", "0..64");
    REFUSES(bks_threads_create(1, NULL, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    ALLOWS(bks_threads_workers(NULL).run == NULL);
    ALLOWS((bks_threads_destroy(NULL), true));
}

static void of_gather(void)
{
    static const bks_gather_shape shape = {.jobs = 2, .results = 1, .result_bytes = 8};
    static const bks_gather_shape no_results = {.jobs = 2, .result_bytes = 8};
    uint64_t gather[BKS_GATHER_WORDS(2, 1, 8)] = {0};
    uint64_t at = 0;
    REFUSES(bks_gather_begin(NULL, &shape, 1) == BKS_ERR_BAD_ARGUMENT, "gather", NULL);
    REFUSES(bks_gather_begin(gather, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "shape", NULL);
    REFUSES(bks_gather_begin(gather, &shape, 3) == BKS_ERR_BAD_ARGUMENT, "jobs", "0..2");
    REFUSES(bks_gather_add(gather, &shape, 0) == NULL, "job", NULL);
    REFUSES(bks_gather_add(gather, &no_results, 0) == NULL, "shape.results", "1..65536");
    REFUSES(bks_gather_end(NULL, &shape, &wrong) == BKS_ERR_BAD_ARGUMENT, "gather", NULL);
    REFUSES(bks_gather_next(gather, &shape, NULL, NULL) == NULL, "at", NULL);
    ALLOWS(bks_gather_next(gather, &shape, &at, NULL) == NULL);
}

void bad_arguments_of_det(void)
{
    of_numbers();
    of_floats();
    of_sort();
    of_table();
    of_jobs();
    of_gather();
}
