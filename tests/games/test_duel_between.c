// SPDX-License-Identifier: MIT

// Duel between two ticks: where its pictures show what moves, and that drawing them changes
// nothing.

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/present.h"
#include "backstitch/toolkit/peer.h"
#include "duel/draw_between.h"
#include "duel/duel.h"
#include "duel/motion.h"
#include "duel/ships.h"
#include "duel_help.h"

#define SECOND_NS UINT64_C(1000000000)

static float size_of(float value)
{
    return value < 0.0f ? -value : value;
}

// ---- a canvas that knows where the first ship is ----

typedef struct ship_watch {
    float x, y; ///< in units of the board
    uint32_t ships;
} ship_watch;

/// A tile is 100 dots wide, its left border at 0.
#define WIDTH  2400.0f
#define HEIGHT 1410.0f

static void watch_circle(void *context, float x, float y, float radius, bks_colour colour)
{
    ship_watch *seen = context;
    (void)radius;
    if (colour == duel_palette_of(DUEL_TILE_EMBER)->ship_rim) {
        seen->x = x * (float)DUEL_TILE / 100.0f;
        seen->y = y;
        seen->ships++;
    }
}

static void ignore_clear(void *context, bks_colour colour)
{
    (void)context;
    (void)colour;
}

static void ignore_rectangle(void *context, float x, float y, float width, float height,
                             bks_colour colour)
{
    (void)context;
    (void)x;
    (void)y;
    (void)width;
    (void)height;
    (void)colour;
}

static void ignore_polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    (void)context;
    (void)points;
    (void)count;
    (void)colour;
}

static void ignore_line(void *context, float x0, float y0, float x1, float y1, float width,
                        bks_colour colour)
{
    (void)context;
    (void)x0;
    (void)y0;
    (void)x1;
    (void)y1;
    (void)width;
    (void)colour;
}

static void ignore_text(void *context, float x, float y, float size, bks_colour colour,
                        const char *text)
{
    (void)context;
    (void)x;
    (void)y;
    (void)size;
    (void)colour;
    (void)text;
}

static float no_width(void *context, float size, const char *text)
{
    (void)context;
    (void)size;
    (void)text;
    return 1.0f;
}

static ship_watch draw(const bks_picture *picture, bool is_coarse)
{
    ship_watch seen = {0};
    const bks_canvas canvas = {.width = WIDTH,
                               .height = HEIGHT,
                               .is_coarse = is_coarse,
                               .context = &seen,
                               .clear = ignore_clear,
                               .rectangle = ignore_rectangle,
                               .polygon = ignore_polygon,
                               .line = ignore_line,
                               .circle = watch_circle,
                               .text = ignore_text,
                               .text_width = no_width};
    duel_draw(picture, &canvas);
    return seen;
}

static float drawn_x(const bks_picture *picture)
{
    const ship_watch seen = draw(picture, true);
    assert_int_equal(seen.ships, 1);
    return seen.x;
}

// ---- steady motion ----

enum {
    TURN_TICK = DUEL_READY_TICKS + 100, ///< at the wall by then
    STEADY_TICK = TURN_TICK + 15,       ///< at full speed by then
    STEADY_END_TICK = STEADY_TICK + 70, ///< still over its own land
};

/// To the left wall, then to the right; the other ship rests.
static void fly_right(void *context, const bks_sample *sample, int32_t *values)
{
    (void)context;
    const int32_t way = sample->tick < TURN_TICK ? -DUEL_STICK_FULL : DUEL_STICK_FULL;
    values[0] = sample->player == 0 ? way : 0;
}

static bks_peer *open_peer(bks_pictures pictures, const bks_source *source, uint32_t players)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = &duel_game;
    config.pictures = pictures;
    config.session.is_host = true;
    config.session.players = config.session.local_players = players;
    config.session.seed = 42;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    for (uint32_t i = 0; i < players; i++) {
        config.sources[i] = *source;
    }
    bks_peer *peer = NULL;
    bks_error error = {0};
    if (bks_peer_create(&config, &peer, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return peer;
}

/// The ship flies steadily, whatever the pace of the pictures.
/// @return how far a picture was from where it belonged, at most, in parts of a tick's way
static float worst_of(bks_pictures kind, uint32_t rate_hz)
{
    const bks_source source = {.sample = fly_right};
    bks_peer *peer = open_peer(kind, &source, 2);
    bks_smooth smooths[DUEL_SMOOTHS] = {0};
    uint64_t first_ns = 0;
    float first_x = 0.0f;
    float worst = 0.0f;
    bks_frame frame = {0};
    for (uint64_t i = 0; frame.tick < STEADY_END_TICK; i++) {
        const uint64_t now_ns = SECOND_NS + i * SECOND_NS / rate_hz;
        assert_int_equal(bks_peer_update(peer, now_ns), BKS_OK);
        assert_int_equal(bks_peer_frame(peer, now_ns, &frame), BKS_OK);
        const bks_picture picture = {.frame = frame, .smooths = smooths, .now_ns = now_ns};
        if (frame.tick <= STEADY_TICK) {
            continue;
        }
        const float x = drawn_x(&picture);
        if (first_ns == 0) {
            first_ns = now_ns;
            first_x = x;
        }
        const float ticks = (float)(now_ns - first_ns) * DUEL_TICK_RATE_HZ / (float)SECOND_NS;
        const float error = size_of(x - first_x - DUEL_SHIP_SPEED * ticks) / DUEL_SHIP_SPEED;
        worst = error > worst ? error : worst;
    }
    assert_true(first_ns > 0);
    bks_peer_destroy(peer);
    return worst;
}

static void a_ship_flies_steadily_at_every_picture_rate(void **state)
{
    (void)state;
    static const uint32_t rates_hz[] = {30, 60, 75, 144, 240};
    for (size_t i = 0; i < sizeof(rates_hz) / sizeof(rates_hz[0]); i++) {
        const float ahead = worst_of(BKS_PICTURES_EXTRAPOLATE, rates_hz[i]);
        const float between = worst_of(BKS_PICTURES_INTERPOLATE, rates_hz[i]);
        print_message("%3u pictures: extrapolated %.2f %%, interpolated %.2f %% of a tick's way\n",
                      (unsigned)rates_hz[i], 100.0 * (double)ahead, 100.0 * (double)between);
        assert_true(ahead <= 0.05f && between <= 0.05f);
    }
    assert_true(worst_of(BKS_PICTURES_NONE, 144) > 0.05f); // the test can fail
}

// ---- a whole tick ahead ----

static void step_both(bksi_runner *stepped, bksi_runner *drawn, bks_tick tick,
                      const duel_input *inputs)
{
    static uint8_t bytes[2 << 20];
    bksi_runner_step(stepped, tick, &inputs[0].move_x);
    const size_t count = bksi_runner_export(stepped, bytes, sizeof(bytes));
    bksi_runner_extrapolate(drawn, bksi_runner_state(drawn), tick, &inputs[0].move_x, 1.0f);
    const duel_state *now = bksi_runner_state(stepped);
    const duel_state *ahead = bksi_runner_state(drawn);
    for (uint32_t seat = 0; seat < 2 && now->phase_ticks > 0; seat++) {
        const duel_ship *is = duel_ship_of(now, seat);
        const duel_ship *shown = duel_ship_of(ahead, seat);
        if (is->is_alive && shown->is_alive) {
            assert_int_equal(shown->x, is->x);
            assert_int_equal(shown->y, is->y);
        }
    }
    assert_true(count > 0);
    assert_int_equal(bksi_runner_import(drawn, bytes, count, NULL), BKS_OK);
}

static void a_ship_is_drawn_a_whole_tick_ahead_where_the_tick_brings_it(void **state)
{
    (void)state;
    bksi_runner *stepped = duel_help_open("versus", "plain", "1", 2, 5);
    bksi_runner *drawn = duel_help_open("versus", "plain", "1", 2, 5);
    uint64_t memory[DUEL_SEATS][8] = {{0}};
    duel_input inputs[DUEL_SEATS] = {0};
    uint32_t moved = 0;
    for (bks_tick tick = 0; tick < 900; tick++) {
        duel_help_bots(stepped, tick, memory, inputs);
        step_both(stepped, drawn, tick, inputs);
        const duel_ship *ship = duel_ship_of(bksi_runner_state(stepped), 0);
        moved += ship->is_alive && (ship->vx != 0 || ship->vy != 0);
    }
    assert_true(moved > 200);
    bksi_runner_destroy(stepped);
    bksi_runner_destroy(drawn);
}

// ---- what a correction moved ----

static void a_corrected_ship_slides_to_where_it_belongs(void **state)
{
    (void)state;
    bksi_runner *runner = duel_help_open("versus", "plain", "1", 1, 5);
    (void)duel_help_start_round(runner);
    duel_ship *ship = duel_ship_of(bksi_runner_state(runner), 0);
    ship->vx = ship->vy = 0;
    bks_smooth smooths[DUEL_SMOOTHS] = {0};
    bks_picture picture = bks_picture_of(bksi_runner_state(runner));
    picture.smooths = smooths;
    picture.now_ns = SECOND_NS;
    const float before = drawn_x(&picture);
    ship->x += 400;
    picture.frame.is_corrected = true;
    assert_true(size_of(drawn_x(&picture) - before) < 1.0f);
    picture.frame.is_corrected = false;
    picture.now_ns += 40000000;
    assert_true(size_of(drawn_x(&picture) - before - 200.0f) < 5.0f); // half of the way
    picture.now_ns += 400000000;
    assert_true(size_of(drawn_x(&picture) - before - 400.0f) < 1.0f);

    duel_spot_forget_ship(&(duel_view){.picture = &picture}, 0); // it was lost, and is back
    ship->x -= 400;
    picture.frame.is_corrected = true;
    assert_true(size_of(drawn_x(&picture) - before) < 1.0f);
    bksi_runner_destroy(runner);
}

// ---- nothing flows back ----

static void play_bots(void *context, const bks_sample *sample, int32_t *values)
{
    bks_peer *const *peer = context;
    uint64_t memory[8] = {0};
    duel_game.bot(bks_peer_state(*peer), sample->player, sample->tick, memory, values);
}

static uint64_t hash_after(bks_pictures kind)
{
    static bks_peer *peer;
    const bks_source source = {.sample = play_bots, .context = &peer};
    peer = open_peer(kind, &source, 2);
    bks_smooth smooths[DUEL_SMOOTHS] = {0};
    bks_frame frame = {0};
    for (uint64_t i = 0; frame.tick < 1500; i++) {
        const uint64_t now_ns = SECOND_NS + i * SECOND_NS / 144;
        assert_int_equal(bks_peer_update(peer, now_ns), BKS_OK);
        assert_int_equal(bks_peer_frame(peer, now_ns, &frame), BKS_OK);
        if (kind != BKS_PICTURES_NONE) {
            const bks_picture picture = {.frame = frame, .smooths = smooths, .now_ns = now_ns};
            (void)draw(&picture, false);
        }
    }
    uint64_t hash = 0;
    assert_int_equal(bks_session_hash(bks_peer_session(peer), 1500, &hash), BKS_OK);
    bks_peer_destroy(peer);
    return hash;
}

static void a_match_of_duel_is_the_same_drawn_between_ticks_and_not_drawn(void **state)
{
    (void)state;
    const uint64_t hash = hash_after(BKS_PICTURES_NONE);
    assert_true(hash_after(BKS_PICTURES_EXTRAPOLATE) == hash);
    assert_true(hash_after(BKS_PICTURES_INTERPOLATE) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ship_flies_steadily_at_every_picture_rate),
        cmocka_unit_test(a_ship_is_drawn_a_whole_tick_ahead_where_the_tick_brings_it),
        cmocka_unit_test(a_corrected_ship_slides_to_where_it_belongs),
        cmocka_unit_test(a_match_of_duel_is_the_same_drawn_between_ticks_and_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
