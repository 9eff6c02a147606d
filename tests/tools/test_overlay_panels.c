// SPDX-License-Identifier: MIT

// What the overlay draws, asked of a canvas that remembers it: whatever the figures are and however
// small the window, no text lies over another or leaves the canvas.

#include "screen/overlay/overlay_panels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "backstitch/toolkit/peer.h"
#include "pad/pad.h"
#include "screen/window/font.h"

enum { TEXTS_MAX = 1024 };

typedef struct drawn_text {
    float x, y, width, size;
    bks_colour colour;
    char text[96];
} drawn_text;

static drawn_text texts[TEXTS_MAX];
static uint32_t text_count;
static float right_edge;
static float lower_edge;
static float upper_edge; ///< set it before drawing

static void no_clear(void *context, bks_colour colour)
{
    (void)context, (void)colour;
}

static void take_rectangle(void *context, float x, float y, float width, float height,
                           bks_colour colour)
{
    (void)context, (void)colour;
    assert_true(width >= 0.0F && height >= 0.0F);
    assert_true(x >= 0.0F && y >= 0.0F);
    right_edge = x + width > right_edge ? x + width : right_edge;
    upper_edge = y < upper_edge ? y : upper_edge;
    lower_edge = y + height > lower_edge ? y + height : lower_edge;
}

static float width_of(void *context, float size, const char *text)
{
    (void)context;
    return (float)font_width_px((uint32_t)(size + 0.5F), text);
}

static void take_text(void *context, float x, float y, float size, bks_colour colour,
                      const char *text)
{
    assert_true(text_count < TEXTS_MAX);
    drawn_text *drawn = &texts[text_count++];
    *drawn = (drawn_text){
        .x = x, .y = y, .width = width_of(context, size, text), .size = size, .colour = colour};
    snprintf(drawn->text, sizeof(drawn->text), "%s", text);
}

static bks_canvas canvas_of(float width, float height)
{
    text_count = 0;
    right_edge = lower_edge = 0.0F;
    return (bks_canvas){.width = width,
                        .height = height,
                        .clear = no_clear,
                        .rectangle = take_rectangle,
                        .text = take_text,
                        .text_width = width_of};
}

static bool lie_over_each_other(const drawn_text *a, const drawn_text *b)
{
    return a->text[0] != '\0' && b->text[0] != '\0' && a->x < b->x + b->width &&
           b->x < a->x + a->width && a->y < b->y + 0.9F * b->size && b->y < a->y + 0.9F * a->size;
}

static void check_texts(const bks_canvas *canvas)
{
    for (uint32_t i = 0; i < text_count; i++) {
        const drawn_text *text = &texts[i];
        assert_true(text->x >= 0.0F && text->x + text->width <= canvas->width);
        assert_true(text->y >= 0.0F && text->y + text->size <= canvas->height);
        for (uint32_t k = 0; k < i; k++) {
            if (lie_over_each_other(text, &texts[k])) {
                fail_msg("'%s' lies over '%s'", text->text, texts[k].text);
            }
        }
    }
    assert_true(right_edge <= canvas->width && lower_edge <= canvas->height);
}

static const drawn_text *find_text(const char *wanted)
{
    for (uint32_t i = 0; i < text_count; i++) {
        if (strcmp(texts[i].text, wanted) == 0) {
            return &texts[i];
        }
    }
    return NULL;
}

static bool has_text(const char *wanted)
{
    return find_text(wanted) != NULL;
}

// ---- what is drawn ----

static tuner tuned;

static void fill(bks_figure *figure, float value)
{
    const float amount = fabsf(value);
    const float least = -amount;
    const float most = 2.0F * amount;
    *figure = (bks_figure){.now = value, .least = least, .mean = value, .most = most};
    for (uint32_t i = 0; i < BKS_FIGURE_POINTS; i += 3) {
        figure->history[i] = (bks_figure_point){least, value, most, 1.0F};
    }
}

static bks_figures figures_of(uint32_t peers, float value)
{
    bks_figures f = {.window_ms = 2000, .link_count = peers + 1};
    bks_figure *const match[] = {&f.predicted, &f.input_delay, &f.rollbacks,
                                 &f.depth,     &f.resimulated, &f.resimulation_ms,
                                 &f.stalled,   &f.starved,     &f.bytes_sent};
    for (size_t i = 0; i < sizeof(match) / sizeof(match[0]); i++) {
        fill(match[i], value);
    }
    for (uint32_t peer = 1; peer <= peers; peer++) {
        bks_link_figures *l = &f.links[peer];
        bks_figure *const link[] = {&l->round_trip_ms, &l->loss,          &l->local_lag,
                                    &l->remote_lag,    &l->advantage,     &l->waited,
                                    &l->bytes_sent,    &l->bytes_received};
        l->has_peer = true;
        for (size_t i = 0; i < sizeof(link) / sizeof(link[0]); i++) {
            fill(link[i], value);
        }
    }
    return f;
}

static overlay_panels panels_of(const bks_figures *f)
{
    static const char *const lines[] = {
        "tick 2147483647/2147483647  at 1000 Hz",
        "so far 18446744073709551615 rollbacks, 4294967295 deep, 100% stepped again"};
    static const uint8_t state[5000];
    return (overlay_panels){.lines = lines,
                            .line_count = 2,
                            .tuner = tuned.inspected.session != NULL ? &tuned : NULL,
                            .figures = f,
                            .state = state,
                            .state_bytes = sizeof(state)};
}

static void no_text_lies_over_another_or_leaves_the_canvas(void **state)
{
    (void)state;
    static const float sizes[][2] = {{160, 160},  {320, 240},   {640, 480},  {1120, 684},
                                     {1280, 720}, {1920, 1080}, {3840, 2160}};
    static const float values[] = {0.0F, 0.00001F, 1.0F, 99.96F, 123456.0F, -3e37F, 3e37F};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            for (uint32_t peers = 0; peers <= 7; peers += 1 + peers) {
                const bks_figures f = figures_of(peers, values[v]);
                const overlay_panels panels = panels_of(&f);
                const bks_canvas canvas = canvas_of(sizes[s][0], sizes[s][1]);
                overlay_panels_draw(&panels, &canvas, canvas.height);
                check_texts(&canvas);
            }
        }
    }
}

static void eight_peers_fit_in_a_usual_window(void **state)
{
    (void)state;
    const bks_figures f = figures_of(7, 12.0F);
    const overlay_panels panels = panels_of(&f);
    const bks_canvas canvas = canvas_of(1120, 684);
    overlay_panels_draw(&panels, &canvas, canvas.height);
    assert_true(has_text("peer 1") && has_text("peer 7") && has_text("memory of the state"));
    check_texts(&canvas);
}

static void ranges_and_means_are_written_in_their_units(void **state)
{
    (void)state;
    bks_figures f = figures_of(1, 0.0F);
    f.links[1].round_trip_ms.mean = 101.4F;
    f.links[1].round_trip_ms.least = 88.0F;
    f.links[1].round_trip_ms.most = 130.0F;
    f.links[1].loss.mean = 0.051F;
    f.links[1].loss.most = 0.2F;
    const overlay_panels panels = panels_of(&f);
    const bks_canvas canvas = canvas_of(1280, 720);
    overlay_panels_draw(&panels, &canvas, canvas.height);
    assert_true(has_text("101 ms") && has_text("88.0..130"));
    assert_true(has_text("5.10 %") && has_text("0..20.0"));
}

static void a_figure_of_which_nothing_was_measured_is_left_out(void **state)
{
    (void)state;
    bks_figures f = figures_of(1, 1.0F);
    f.depth.mean = 1.7F;
    const overlay_panels panels = panels_of(&f);
    const bks_canvas canvas = canvas_of(1280, 720);
    overlay_panels_draw(&panels, &canvas, canvas.height);
    assert_true(has_text("1.70 ticks") && !has_text("-"));
    for (uint32_t i = BKS_FIGURE_POINTS - 20; i < BKS_FIGURE_POINTS; i++) {
        f.depth.history[i].weight = 0.0F;
    }
    const bks_canvas later = canvas_of(1280, 720);
    overlay_panels_draw(&panels, &later, later.height);
    assert_true(!has_text("1.70 ticks") && has_text("-"));
}

static void a_peer_that_left_is_said_to_have_left_instead_of_its_old_figures(void **state)
{
    (void)state;
    const bks_figures f = figures_of(2, 12.0F);
    const bks_roster roster = {.players = 3,
                               .peers = 3,
                               .player_count = {1, 1, 1},
                               .is_in = {true, false, true},
                               .end = {BKS_TICK_NONE, 480, BKS_TICK_NONE}};
    overlay_panels panels = panels_of(&f);
    panels.roster = &roster;
    const bks_canvas canvas = canvas_of(1280, 720);
    overlay_panels_draw(&panels, &canvas, canvas.height);
    assert_true(has_text("peer 1") && has_text("left, it played until tick 480"));
    uint32_t round_trips = 0;
    for (uint32_t i = 0; i < text_count; i++) {
        round_trips += strcmp(texts[i].text, "round trip") == 0 ? 1 : 0;
    }
    assert_int_equal(round_trips, 1);
    check_texts(&canvas);
}

static void names_and_scores_of_a_game_stay_free(void **state)
{
    (void)state;
    for (uint32_t peers = 0; peers <= 2; peers++) {
        const bks_figures f = figures_of(peers, 1.0F);
        const overlay_panels panels = panels_of(&f);
        const bks_canvas canvas = canvas_of(1280, 720);
        upper_edge = canvas.height;
        overlay_panels_draw(&panels, &canvas, canvas.height);
        assert_true(upper_edge > 80.0F); // where duel's board begins
    }
}

static void what_words_mean_is_said_in_full_where_there_is_room(void **state)
{
    (void)state;
    const bks_figures f = figures_of(1, 1.0F);
    const overlay_panels panels = panels_of(&f);
    static const float sizes[][2] = {{1120, 684}, {1280, 720}, {1920, 1080}, {3840, 2160}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const bks_canvas canvas = canvas_of(sizes[i][0], sizes[i][1]);
        overlay_panels_draw(&panels, &canvas, canvas.height);
        for (const figure_term *word = figure_terms; word->name != NULL; word++) {
            assert_true(has_text(word->name) && has_text(word->meaning));
        }
        check_texts(&canvas);
    }
}

static void what_keys_change_is_shown_with_the_keys(void **state)
{
    (void)state;
    bks_match_config config = bks_match_config_default();
    config.game = &pad_game;
    config.record = false;
    bks_match *match = NULL;
    assert_int_equal(bks_match_open(&config, &match, NULL), BKS_OK);
    tuner_open(&tuned, bks_peer_session(bks_match_peer(match)), NULL, NULL, NULL);
    const bks_figures f = figures_of(1, 1.0F);
    const overlay_panels panels = panels_of(&f);
    const bks_canvas canvas = canvas_of(1120, 684);
    overlay_panels_draw(&panels, &canvas, canvas.height);
    assert_true(has_text("tune it: F2 next, F3 less, F4 more"));
    assert_true(has_text("20 of 20 ticks") && has_text("slew: longer ticks"));
    assert_true(has_text("emulated with --link, --inspect"));
    assert_int_not_equal(find_text("20 of 20 ticks")->colour, find_text("automatic")->colour);
    no_text_lies_over_another_or_leaves_the_canvas(state);
    tuned = (tuner){0};
    bks_match_close(match);
}

// ---- memory ----

typedef struct pools_root {
    bks_ref shots;
} pools_root;

static void init_pools(void *state, const bks_start *start)
{
    (void)start;
    bks_arena *arena = bks_arena_of(state, sizeof(pools_root));
    bks_pool *pool = bks_pool_create(arena, "shots", 24, 90);
    for (uint32_t i = 0; i < 7; i++) {
        (void)bks_pool_add(pool, NULL);
    }
    bks_arena_baseline(arena);
    for (uint32_t i = 0; i < 5; i++) {
        (void)bks_pool_add(pool, NULL);
    }
}

static void no_step(void *state, const bks_step *step)
{
    (void)state, (void)step;
}

static void pools_are_drawn_with_high_water_and_leaks(void **state)
{
    (void)state;
    static const bks_field fields[] = {{.name = "x", .bits = 1}};
    static const bks_game game = {.name = "pools",
                                  .tick_rate_hz = 60,
                                  .players_max = 1,
                                  .fields = fields,
                                  .field_count = 1,
                                  .state_bytes = 20000,
                                  .root_bytes = sizeof(pools_root),
                                  .init = init_pools,
                                  .step = no_step};
    bks_match_config config = bks_match_config_default();
    config.game = &game;
    config.record = false;
    bks_match *match = NULL;
    assert_int_equal(bks_match_open(&config, &match, NULL), BKS_OK);
    assert_int_equal(bks_match_update(match), BKS_OK);
    const void *bytes = bks_match_state(match);
    const overlay_panels panels = {
        .state = bytes, .state_bytes = bks_state_bytes(bytes), .root_bytes = sizeof(pools_root)};
    const bks_canvas canvas = canvas_of(1280, 720);
    overlay_panels_draw(&panels, &canvas, canvas.height);
    assert_true(has_text("shots") && has_text("12 of 90") && has_text("12") && has_text("5"));
    // More items than at the start are no alarm: every match has shots in the air.
    assert_int_equal(find_text("5")->colour, find_text("12 of 90")->colour);
    check_texts(&canvas);
    bks_match_close(match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_lies_over_another_or_leaves_the_canvas),
        cmocka_unit_test(eight_peers_fit_in_a_usual_window),
        cmocka_unit_test(ranges_and_means_are_written_in_their_units),
        cmocka_unit_test(a_figure_of_which_nothing_was_measured_is_left_out),
        cmocka_unit_test(a_peer_that_left_is_said_to_have_left_instead_of_its_old_figures),
        cmocka_unit_test(names_and_scores_of_a_game_stay_free),
        cmocka_unit_test(what_words_mean_is_said_in_full_where_there_is_room),
        cmocka_unit_test(what_keys_change_is_shown_with_the_keys),
        cmocka_unit_test(pools_are_drawn_with_high_water_and_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
