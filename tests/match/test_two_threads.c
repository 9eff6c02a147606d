// SPDX-License-Identifier: MIT
//
// A match belongs to one thread. A call from a second thread is refused, and a log line names both.

#define _GNU_SOURCE // syscall

#include "backstitch/match.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "match/some_match.h"
#include "support/catch_log.h"

/// Match that is updated again while its transport receives, by its own thread and by another.
typedef struct entered_match {
    bks_match *match;
    bks_status within;
    bks_status beside;
    bks_status waiting;
    long thread;
    catch_log log;
    char said[sizeof(((catch_log *)NULL)->text)]; ///< log line about the other thread
} entered_match;

static void *update_beside(void *context)
{
    entered_match *entered = context;
    entered->thread = syscall(SYS_gettid);
    entered->beside = bks_match_update(entered->match);
    memcpy(entered->said, entered->log.text, sizeof(entered->said));
    entered->waiting = bks_match_wait(entered->match);
    return NULL;
}

static size_t receive_and_update(void *context, bks_address *from, void *bytes, size_t capacity)
{
    (void)from, (void)bytes, (void)capacity;
    entered_match *entered = context;
    pthread_t thread;
    if (entered->thread == 0) {
        assert_int_equal(pthread_create(&thread, NULL, update_beside, entered), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        entered->within = bks_match_update(entered->match);
    }
    return 0;
}

static bks_status send_nothing(void *context, const bks_address *to, const void *bytes,
                               size_t count)
{
    (void)context, (void)to, (void)bytes, (void)count;
    return BKS_OK;
}

static void two_threads_in_a_match_are_named(void **state)
{
    (void)state;
    entered_match entered = {0};
    char said[160];
    bks_match_config config = some_config();
    const bks_transport transport = {
        .send = send_nothing, .receive = receive_and_update, .context = &entered};
    config.transport = &transport;
    memset(config.key, 77, sizeof(config.key));
    entered.match = some_open(&config);
    catch_log_begin(&entered.log);
    assert_int_equal(bks_match_update(entered.match), BKS_OK);
    bks_log_clear_sink();
    assert_int_equal(entered.beside, BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(entered.waiting, BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(entered.within, BKS_ERR_BAD_ARGUMENT);
    (void)snprintf(said, sizeof(said),
                   "two threads: thread %ld calls the match while thread %ld is in a call of it",
                   entered.thread, (long)syscall(SYS_gettid));
    assert_non_null(strstr(entered.said, said));
    assert_non_null(
        strstr(entered.log.text, "is called within bks_match_update of the same match"));
    assert_int_equal(bks_match_update(entered.match), BKS_OK);
    bks_match_close(entered.match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_in_a_match_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
