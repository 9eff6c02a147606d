// SPDX-License-Identifier: MIT

// Highest rate to a peer that reports all as it comes, on a line without an end.

#include "session/inside.h"
#include "session/one_network.h"

#define BUFFER (1u << 24)

static void tune(bks_session_config *config, uint32_t peer)
{
    (void)peer;
    config->ticks = 0;
    config->tuning.bulk_bytes = BUFFER;
}

static uint8_t data[1u << 20];

static double play(uint64_t delay_us)
{
    toy_create(&network, 2, 1, tune);
    network.delay_ns = delay_us * 1000;
    run_for(4000);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    double most = 0.0;
    uint32_t before_line = session_of(0)->common.links.peers[1].line.bytes;
    for (uint32_t ms = 0; ms < 6000; ms++) {
        size_t count = 1;
        while (count > 0) {
            assert_int_equal(bks_session_bulk_write(session_of(0), 1, data, sizeof(data), &count),
                             BKS_OK);
        }
        run_for(1);
        count = 1;
        while (count > 0) {
            if (bks_session_bulk_read(session_of(1), 0, data, sizeof(data), &count) != BKS_OK) {
                break;
            }
        }
        if (ms % 1000 == 999) {
            const uint32_t now = session_of(0)->common.links.peers[1].line.bytes;
            const double mb = (now - before_line) / 1e6;
            before_line = now;
            most = mb > most ? mb : most;
        }
    }
    print_message("%u us one way: %.2f MB went in a second\n", (uint32_t)delay_us, most);
    toy_destroy(&network);
    return most;
}

static void no_more_than_is_promised(void **context)
{
    (void)context;
    static const uint64_t delays[] = {100, 300, 1000, 3000, 10000};
    double most = 0.0;
    for (uint32_t i = 0; i < 5; i++) {
        const double mb = play(delays[i]);
        most = mb > most ? mb : most;
    }
    assert_true(most <= 12.8); // 12.5 of the stream, as docs/spec/security.md says
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_more_than_is_promised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
