// SPDX-License-Identifier: MIT

// A log without a reader costs nothing. Whose failure this stands for is in docs/rivals.md.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/report.h"
#include "session/one_network.h"
#include "support/catch_log.h"
#include "support/seed.h"

// The linker sends the library's calls here (CMakeLists.txt).
int __real_vsnprintf(char *text, size_t bytes, const char *format, va_list values);
int __wrap_vsnprintf(char *text, size_t bytes, const char *format, va_list values);
int __wrap_snprintf(char *text, size_t bytes, const char *format, ...);

int __wrap___vsnprintf_chk(char *text, size_t bytes, int flag, size_t room, const char *format,
                           va_list values);
int __wrap___snprintf_chk(char *text, size_t bytes, int flag, size_t room, const char *format, ...);

static uint32_t formatted;

int __wrap_vsnprintf(char *text, size_t bytes, const char *format, va_list values)
{
    formatted++;
    return __real_vsnprintf(text, bytes, format, values);
}

int __wrap_snprintf(char *text, size_t bytes, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int count = __wrap_vsnprintf(text, bytes, format, values);
    va_end(values);
    return count;
}

// Where the build is hardened.
int __wrap___vsnprintf_chk(char *text, size_t bytes, int flag, size_t room, const char *format,
                           va_list values)
{
    (void)flag, (void)room;
    return __wrap_vsnprintf(text, bytes, format, values);
}

int __wrap___snprintf_chk(char *text, size_t bytes, int flag, size_t room, const char *format, ...)
{
    (void)flag, (void)room;
    va_list values;
    va_start(values, format);
    int count = __wrap_vsnprintf(text, bytes, format, values);
    va_end(values);
    return count;
}

/// A match with rollbacks, and a stranger who sends rubbish at it.
static void play_through_rubbish(void)
{
    const bks_address from = toy_address(100);
    for (uint32_t i = 0; i < 2000; i++) {
        toy_run_until(&network, network.now_ns + 5 * TOY_MS);
        uint8_t bytes[64];
        for (size_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (uint8_t)seed_below(256);
        }
        assert_int_equal(bks_session_receive(network.peers[0].session, network.now_ns, &from, bytes,
                                             1 + seed_below(64)),
                         BKS_OK);
    }
}

/// GGPO: most of its instructions format lines of a log that is dropped.
static void no_line_is_formatted_without_a_reader(void **context)
{
    (void)context;
    toy_create(&network, 3, seed_next(), tune_endless);
    network.jitter_ns = 20 * TOY_MS;
    network.loss_percent = 5;
    toy_run_until(&network, 2000 * TOY_MS);
    formatted = 0;
    play_through_rubbish();
    assert_true(network.peers[0].load_ops > 100);
    assert_int_equal(formatted, 0);

    // Nor is there anything to read while all goes well, whatever is sent.
    catch_log log;
    catch_log_begin(&log);
    play_through_rubbish();
    assert_int_equal(log.count, 0);
    bks_log_clear_sink();
    toy_destroy(&network);
}

static void a_line_is_formatted_only_for_a_sink(void **context)
{
    (void)context;
    formatted = 0;
    bksi_log(BKS_LOG_INFO, "rivals", "line %d", 1);
    assert_int_equal(bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "rivals", NULL, "line %d", 2),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(formatted, 0);
    catch_log log;
    catch_log_begin(&log);
    formatted = 0;
    bksi_log(BKS_LOG_INFO, "rivals", "line %d", 3);
    assert_int_equal(log.count, 1);
    assert_true(formatted > 0); // or nothing would be counted above
    bks_log_clear_sink();
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_formatted_without_a_reader),
        cmocka_unit_test(a_line_is_formatted_only_for_a_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
