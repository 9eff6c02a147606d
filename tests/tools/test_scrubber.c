// SPDX-License-Identifier: MIT

// What a scrubber draws of a recording, asked of a canvas that remembers it.

#include "screen/overlay/scrubber.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "watch/watch_player.h"
#include "watch/watch_view.h"

enum { TICKS = 600, BYTES_MAX = 1 << 16, DRAWN_MAX = 200 };

// ---- a recording in memory ----

static uint8_t bytes[BYTES_MAX];
static size_t byte_count;

static bks_status write_bytes(void *context, uint64_t offset, const void *from, size_t count)
{
    (void)context;
    assert_true(offset + count <= BYTES_MAX);
    memcpy(bytes + offset, from, count);
    byte_count = offset + count > byte_count ? (size_t)offset + count : byte_count;
    return BKS_OK;
}

static void no_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void no_step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

static const bks_field one_field[] = {{.name = "x", .bits = 8}};
static const bks_game game = {.name = "some",
                              .tick_rate_hz = 60,
                              .players_max = 1,
                              .fields = one_field,
                              .field_count = 1,
                              .state_bytes = 64,
                              .init = no_init,
                              .step = no_step};

static const bks_replay_event events[] = {
    {.kind = BKS_REPLAY_DELAY, .tick = 0, .a = 2, .b = 2},
    {.kind = BKS_REPLAY_LEFT, .tick = 150, .peer = 1},
    {.kind = BKS_REPLAY_NOTE, .tick = 300, .text = "look here"},
};

static int record(void **state)
{
    (void)state;
    static uint8_t world[64];
    bks_replay_config config = {.game = &game,
                                .players = 1,
                                .tick_rate_hz = 60,
                                .unconfirmed_ticks_max = 1,
                                .state = world,
                                .state_bytes = sizeof(world),
                                .detail = {.keyframe_ticks = 100, .chunk_ticks = 50},
                                .sink = {.write = write_bytes}};
    bks_replay_writer *writer = NULL;
    bks_status status = bks_replay_writer_create(&config, &writer, NULL);
    for (size_t i = 0; i < 3; i++) {
        status |= bks_replay_writer_event(writer, &events[i]);
    }
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const int32_t input = tick * 7 % 256;
        const bks_tick due = bks_replay_writer_keyframe_due(writer);
        if (due != BKS_TICK_NONE && due <= tick) {
            world[tick % 64]++;
            status |= bks_replay_writer_keyframe(writer, tick, world, sizeof(world));
        }
        status |= bks_replay_writer_use(writer, tick, 1, &input);
        status |= bks_replay_writer_confirm(writer, tick, &input, NULL);
    }
    status |= bks_replay_writer_finish(writer, NULL);
    bks_replay_writer_destroy(writer);
    return status == BKS_OK ? 0 : -1;
}

// ---- a canvas that remembers ----

typedef struct drawn {
    float x;
    float y;
    float width;
    float height;
    bks_colour colour;
    char text[OVERLAY_TEXT_BYTES];
} drawn;

static drawn all[DRAWN_MAX];
static uint32_t drawn_count;

static drawn *add(float x, float y, bks_colour colour)
{
    assert_true(drawn_count < DRAWN_MAX);
    drawn *d = &all[drawn_count++];
    *d = (drawn){.x = x, .y = y, .colour = colour};
    return d;
}

static void add_rectangle(void *context, float x, float y, float width, float height,
                          bks_colour colour)
{
    (void)context;
    drawn *d = add(x, y, colour);
    d->width = width;
    d->height = height;
}

// Letters are whole dots wide, as in the window.
static float width_of(void *context, float size, const char *text)
{
    (void)context;
    return floorf(size * 0.6F + 0.5F) * (float)strlen(text);
}

static void add_text(void *context, float x, float y, float size, bks_colour colour,
                     const char *text)
{
    drawn *d = add(x, y, colour);
    d->width = width_of(context, size, text);
    d->height = size;
    snprintf(d->text, sizeof(d->text), "%s", text);
}

static const float WIDTH = 1120.0F;
static const float HEIGHT = 780.0F;

static void draw(const scrubber *line, float width)
{
    drawn_count = 0;
    const bks_canvas canvas = {.width = width,
                               .height = HEIGHT,
                               .rectangle = add_rectangle,
                               .text = add_text,
                               .text_width = width_of};
    scrubber_draw(line, &canvas);
    for (uint32_t i = 0; i < drawn_count; i++) { // nothing leaves the picture
        assert_true(all[i].x >= -1.0F && all[i].x + all[i].width <= width + 1.0F);
        assert_true(all[i].y >= 0.0F && all[i].y + all[i].height <= HEIGHT + 0.5F);
    }
}

static const drawn *find_text(const char *text)
{
    for (uint32_t i = 0; i < drawn_count; i++) {
        if (strcmp(all[i].text, text) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

// A mark of this colour in the middle of the bar's share.
static uint32_t marks_at(float share, bks_colour colour)
{
    uint32_t count = 0;
    const float edge = all[1].x; // of the trough
    const float x = edge + (WIDTH - 2.0F * edge) * share;
    for (uint32_t i = 0; i < drawn_count; i++) {
        const float middle = all[i].x + all[i].width / 2.0F;
        count += all[i].text[0] == '\0' && all[i].colour == colour && all[i].width <= 2.0F &&
                         middle > x - 1.5F && middle < x + 1.5F
                     ? 1
                     : 0;
    }
    return count;
}

static bks_replay *open_it(void)
{
    bks_replay *replay = NULL;
    const bks_status status = bks_replay_open(bytes, byte_count, NULL, &replay, NULL);
    assert_true(status == BKS_OK || status == BKS_ERR_DAMAGED);
    assert_non_null(replay);
    return replay;
}

static scrubber line_of(const bks_replay *replay)
{
    return (scrubber){.replay = replay,
                      .first = 0,
                      .end = TICKS,
                      .here = 450,
                      .first_different = BKS_TICK_NONE,
                      .status = "here",
                      .keys = "some keys"};
}

static void marks_stand_where_things_happened_in_the_colours_of_their_names(void **state)
{
    (void)state;
    bks_replay *replay = open_it();
    const scrubber line = line_of(replay);
    draw(&line, WIDTH);
    const char *const names[] = {"delay", "left", "note"};
    const float shares[] = {0.0F, 0.25F, 0.5F};
    for (size_t i = 0; i < 3; i++) {
        const drawn *name = find_text(names[i]);
        assert_non_null(name);
        assert_int_equal(marks_at(shares[i], name->colour), 1);
    }
    assert_null(find_text("joined"));
    assert_null(find_text("lost"));
    assert_null(find_text("guessed"));
    const drawn *keyframe = find_text("keyframe");
    assert_non_null(keyframe);
    assert_true(bks_replay_info(replay)->keyframes >= 3);
    for (uint32_t i = 0; i < bks_replay_info(replay)->keyframes; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        assert_int_equal(marks_at((float)key.tick / TICKS, keyframe->colour), 1);
    }
    bks_replay_close(replay);
}

static void the_names_give_way_to_the_keys(void **state)
{
    (void)state;
    bks_replay *replay = open_it();
    scrubber line = line_of(replay);
    line.keys = "space pause  . , tick  left right 5 s  home end  [ ] speed  t take over  q quit";
    const float widths[] = {300.0F, 500.0F, 700.0F, 900.0F, 1120.0F, 2000.0F};
    bool was_shown = false;
    for (size_t i = 0; i < 6; i++) {
        draw(&line, widths[i]);
        const drawn *keys = find_text(line.keys);
        const drawn *name = find_text("delay");
        assert_true(name == NULL || (keys != NULL && name->x > keys->x + keys->width));
        assert_true(name != NULL || !was_shown);
        was_shown = name != NULL;
    }
    assert_true(was_shown);
    bks_replay_close(replay);
}

static void all_keys_can_be_read_on_a_narrow_picture(void **state)
{
    (void)state;
    bks_replay *replay = open_it();
    scrubber line = line_of(replay);
    line.keys = "space pause  . , tick  left right 5 s  home end  [ ] speed  t take over  q quit";
    const float widths[] = {200.0F, 300.0F, 400.0F, 640.0F};
    for (size_t i = 0; i < 4; i++) {
        draw(&line, widths[i]);
        size_t shown = 0;
        for (uint32_t d = 0; d < drawn_count; d++) {
            if (all[d].text[0] != '\0' && strstr(line.keys, all[d].text) != NULL) {
                assert_true(all[d].height >= 9.0F);
                shown += strlen(all[d].text);
            }
        }
        assert_true(shown + 2 * 5 >= strlen(line.keys)); // without the gaps between the lines
    }
    bks_replay_close(replay);
}

static void a_long_remark_keeps_clear_of_the_status(void **state)
{
    (void)state;
    bks_replay *replay = open_it();
    scrubber line = line_of(replay);
    line.status =
        "tick 450/600   0:07.5 of 0:10.0   x1   at the end   incomplete   1 hash the same";
    line.remark =
        "a record fails its check at byte 12345, and from tick 450 on it is lost: there is "
        "no keyframe behind the damage";
    uint32_t seen = 0;
    for (int32_t width = 200; width <= 2400; width += 7) {
        draw(&line, (float)width);
        const drawn *status = find_text(line.status);
        const drawn *remark = NULL;
        for (uint32_t i = 0; i < drawn_count; i++) {
            remark = strncmp(all[i].text, "a rec", 5) == 0 ? &all[i] : remark;
        }
        if (remark != NULL) {
            assert_non_null(status);
            assert_true(remark->x >= status->x + status->width + status->height);
            assert_true(remark->height >= 9.0F);
            const char *dots = strstr(remark->text, "...");
            assert_true(strcmp(remark->text, line.remark) == 0 ||
                        (dots != NULL && dots[3] == '\0'));
            seen++;
        }
    }
    assert_true(seen > 100);
    bks_replay_close(replay);
}

// The remark on the first tick, and the end of the scrubber.
static void first_remark(const bks_replay *replay, bool with_events, char out[OVERLAY_TEXT_BYTES],
                         bks_tick *end)
{
    bks_recording info = *bks_replay_info(replay);
    info.event_count = with_events ? info.event_count : 0;
    watch_feed feed = {.replay = (bks_replay *)replay};
    bks_playback *playback = NULL;
    const bks_playback_config config = {.replay = feed.replay, .game = &game};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    const watch_player player = {
        .feed = &feed, .playback = playback, .info = &info, .first_different = BKS_TICK_NONE};
    const watch_picture picture = {.player = &player, .live_from = BKS_TICK_NONE};
    const char *said = watch_view_remark(&picture, out);
    if (said != out) {
        snprintf(out, OVERLAY_TEXT_BYTES, "%s", said != NULL ? said : "");
    }
    *end = watch_view_scrubber(&player).end;
    bks_playback_destroy(playback);
}

static void a_delay_that_never_changed_is_shown_as_one(void **state)
{
    (void)state;
    bks_replay *replay = open_it();
    char text[OVERLAY_TEXT_BYTES];
    bks_tick end;
    first_remark(replay, true, text, &end);
    assert_string_equal(text, "tick 0: input delay 2");
    assert_int_equal(end, TICKS);
    bks_replay_close(replay);
}

static void lost_ticks_are_red_and_named(void **state)
{
    (void)state;
    static uint8_t whole[BYTES_MAX];
    memcpy(whole, bytes, byte_count);
    uint32_t seen = 0;
    for (size_t at = byte_count / 2; at < byte_count; at += 5) {
        bytes[at] ^= 0x55;
        bks_replay *replay = open_it();
        bks_replay_lost lost = {0};
        if (bks_replay_info(replay)->lost_count == 1) {
            assert_int_equal(bks_replay_lost_at(replay, 0, &lost), BKS_OK);
        }
        if (lost.ticks > 0) {
            char text[OVERLAY_TEXT_BYTES];
            char wanted[OVERLAY_TEXT_BYTES];
            scrubber line = line_of(replay);
            first_remark(replay, false, text, &line.end);
            snprintf(wanted, sizeof(wanted), "damaged: ticks %d to %d are lost", lost.first,
                     lost.first + lost.ticks - 1);
            assert_string_equal(text, wanted);
            assert_true(line.end >= lost.first + lost.ticks);
            draw(&line, WIDTH);
            const drawn *name = find_text("lost");
            assert_non_null(name);
            uint32_t parts = 0;
            for (uint32_t i = 0; i < drawn_count; i++) {
                parts += all[i].text[0] == '\0' && all[i].colour == name->colour ? 1 : 0;
            }
            assert_int_equal(parts, 1);
            seen++;
        }
        bks_replay_close(replay);
        memcpy(bytes, whole, byte_count);
    }
    assert_true(seen > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_stand_where_things_happened_in_the_colours_of_their_names),
        cmocka_unit_test(the_names_give_way_to_the_keys),
        cmocka_unit_test(all_keys_can_be_read_on_a_narrow_picture),
        cmocka_unit_test(a_long_remark_keeps_clear_of_the_status),
        cmocka_unit_test(a_delay_that_never_changed_is_shown_as_one),
        cmocka_unit_test(lost_ticks_are_red_and_named),
    };
    return cmocka_run_group_tests(tests, record, NULL);
}
