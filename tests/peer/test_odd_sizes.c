// SPDX-License-Identifier: MIT

// States of odd sizes that come to differ: what a peer's `save` writes becomes longer at a tick.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "peer/peer_network.h"

enum { CHANGE = 60, ROOM = 70000 };

typedef struct blob {
    uint32_t ticks;
    uint32_t odd; ///< bytes more from CHANGE on
} blob;

static size_t size;  ///< of the state at first
static size_t more;  ///< what the odd one's has more
static uint8_t fill; ///< what lies there
static uint32_t created;
static blob blobs[8];

static size_t blob_bytes(const blob *of)
{
    return size + (of->ticks >= CHANGE ? of->odd : 0);
}

static void *blob_create(const bks_start *start)
{
    (void)start;
    blob *made = &blobs[created++ % 8];
    *made = (blob){0};
    return made;
}

static void blob_destroy(void *state)
{
    (void)state;
}

static void blob_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void blob_step(void *state, const bks_step *step)
{
    ((blob *)state)->ticks = (uint32_t)step->tick + 1;
}

static void odd_step(void *state, const bks_step *step)
{
    ((blob *)state)->odd = (uint32_t)more;
    blob_step(state, step);
}

/// The bytes are the same at each tick, but for how many there are.
static size_t blob_save(const void *state, void *out, size_t capacity)
{
    const size_t count = blob_bytes(state);
    assert_true(count <= capacity);
    memset(out, 3, size);
    memset((uint8_t *)out + size, fill, count - size);
    return count;
}

static bool blob_load(void *state, const void *saved, size_t count)
{
    (void)state;
    (void)saved;
    (void)count;
    return true;
}

static void blob_hash(const void *state, bks_hasher *hasher)
{
    const uint64_t bytes = blob_bytes(state);
    bks_hash_add(hasher, &bytes, sizeof(bytes));
}

static const bks_field fields[] = {{.name = "push", .bits = 1}};
static bks_game games[2];
static peer_network network;

static void tune(bks_peer_config *config, uint32_t peer)
{
    bks_game *game = &games[peer];
    *game = (bks_game){.name = "blob",
                       .version = 1,
                       .save_bytes_max = ROOM,
                       .tick_rate_hz = 60,
                       .players_max = 2,
                       .fields = fields,
                       .field_count = 1,
                       .create = blob_create,
                       .destroy = blob_destroy,
                       .init = blob_init,
                       .step = peer == 0 ? blob_step : odd_step,
                       .save = blob_save,
                       .load = blob_load,
                       .hash = blob_hash};
    config->game = game;
    config->sources[0] = (bks_source){0};
}

/// What both sides say, the even one first.
static void play(size_t at_first, size_t grown_by, uint8_t with, bks_difference out[2])
{
    size = at_first;
    more = grown_by;
    fill = with;
    net_create(&network, 2, tune);
    (void)net_run_to_end(&network, 20000 * NET_MS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network.peers[i].events[BKS_EVENT_NAMED], 1);
        assert_int_equal(bks_session_difference(net_session(&network, i), &out[i]), BKS_OK);
        assert_true(out[i].is_named);
        assert_int_equal(out[i].tick, CHANGE);
    }
    net_destroy(&network);
}

static void where_zeros_were_added_both_name_the_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 100, 4095, 4096, 16384, 65536};
    static const size_t grown[] = {1, 64, 200, 4096};
    for (uint32_t i = 0; i < 32; i++) {
        bks_difference found[2];
        char text[2][32];
        play(sizes[i / 4], grown[i % 4], 0, found);
        (void)snprintf(text[0], sizeof(text[0]), "%zu bytes", size);
        (void)snprintf(text[1], sizeof(text[1]), "%zu bytes", size + more);
        for (uint32_t p = 0; p < 2; p++) {
            assert_string_equal(found[p].text, "(unnamed).size");
            assert_string_equal(found[p].own_value, text[p]);
            assert_string_equal(found[p].peer_value, text[1 - p]);
            assert_int_equal(found[p].offset_bytes, size);
        }
    }
}

static void where_other_bytes_were_added_both_name_the_first(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 100, 4095, 4096, 16384, 65536};
    static const size_t grown[] = {1, 64, 200, 4096};
    for (uint32_t i = 0; i < 32; i++) {
        bks_difference found[2];
        play(sizes[i / 4], grown[i % 4], 7, found);
        for (uint32_t p = 0; p < 2; p++) {
            assert_string_not_equal(found[p].field, "size");
            assert_int_equal(found[p].offset_bytes / 4096, size / 4096); // the name is its page
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_zeros_were_added_both_name_the_size),
        cmocka_unit_test(where_other_bytes_were_added_both_name_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
