// SPDX-License-Identifier: MIT

#include "watch/watch_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/tool.h"
#include "screen/window/canvas_soft.h"
#include "screen/window/frame_pace.h"
#include "screen/window/key_hints.h"
#include "screen/window/png.h"
#include "screen/window/term.h"
#include "watch/watch_overlay.h"

enum {
    WINDOW_WIDTH = 1120,
    WINDOW_HEIGHT = 780,
    PICTURE_WIDTH = 1280,
    PICTURE_HEIGHT = 800,
    SKIP_S = 5,
};

static const char keys_shown[] = "space pause  . , tick  left right 5 s  home end  [ ] speed  "
                                 "t take over  q quit";
static const char keys_live[] = "space pause  Escape or q ends";

struct watch_view {
    play_view_kind kind;
    FILE *lines_to;
    ears *heard;
    window *window;
    bool is_borrowed; ///< true: the window belongs to the caller and stays open
    term *terminal;
    bool is_grabbed; ///< true: the mouse holds the scrubber
    bool has_bar;    ///< true: the scrubber was in the last picture
    bool is_live;    ///< true: the last picture was of a match that players took over
    bool can_aim;    ///< true: players who took over aim with the mouse
    /// Time of the user's last action; the scrubber is shown for a while after it.
    awake attention;
    uint32_t overlay_presses; ///< number of times that F1 was pressed
    user_settings settings;
    user_settings *kept;  ///< settings that keys change; NULL: none
    uint32_t seats;       ///< number of players at this machine who took over
    float width;          ///< width of the last picture
    float height;         ///< height of the last picture
    uint32_t pictures_hz; ///< wanted pictures a second, 0: as many as the screen shows
    frame_pace pace;
    picture_meter pictures;
    window_screen screen; ///< properties of the screen at the last poll
};

watch_view *watch_view_open(const watch_view_config *config)
{
    watch_view *view = calloc(1, sizeof(*view));
    if (view == NULL) {
        tool_complain(config->title, "out of memory");
        return NULL;
    }
    view->kind = config->kind;
    view->heard = config->heard;
    view->kept = config->settings;
    settings_usual(&view->settings);
    view->settings = config->settings != NULL ? *config->settings : view->settings;
    view->pictures_hz = config->pictures_hz;
    view->lines_to = config->lines_to_stderr ? stderr : stdout;
    if (view->kind == PLAY_VIEW_WINDOW) {
        view->is_borrowed = config->window != NULL;
        view->window = view->is_borrowed ? config->window
                                         : window_open(config->title, WINDOW_WIDTH, WINDOW_HEIGHT,
                                                       config->pictures_hz == 0, config->settings);
    } else if (view->kind == PLAY_VIEW_TERM) {
        view->terminal = term_open();
    }
    if ((view->kind == PLAY_VIEW_WINDOW && view->window == NULL) ||
        (view->kind == PLAY_VIEW_TERM && view->terminal == NULL)) {
        watch_view_close(view);
        return NULL;
    }
    view->can_aim = config->can_aim;
    awake_rouse(&view->attention, tool_clock_ns(NULL));
    if (view->window != NULL) {
        window_set_aim(view->window, config->can_aim);
    }
    return view;
}

void watch_view_close(watch_view *view)
{
    if (view != NULL) {
        if (view->window != NULL && view->kept != NULL) {
            view->kept->is_full_screen = window_is_full_screen(view->window);
        }
        window_close(view->is_borrowed ? NULL : view->window);
        term_close(view->terminal);
        free(view);
    }
}

// ---- the user's input ----

bool watch_view_key(uint8_t key, watch_order *out)
{
    static const struct {
        uint8_t key;
        watch_order order;
    } table[] = {
        {' ', {WATCH_WISH_PAUSE, 0}},
        {'.', {WATCH_WISH_STEP, 1}},
        {',', {WATCH_WISH_STEP, -1}},
        {KEY_RIGHT, {WATCH_WISH_SKIP, SKIP_S}},
        {KEY_LEFT, {WATCH_WISH_SKIP, -SKIP_S}},
        {KEY_HOME, {WATCH_WISH_GO, 0}},
        {KEY_END, {WATCH_WISH_GO_END, 0}},
        {']', {WATCH_WISH_SPEED, 1}},
        {'[', {WATCH_WISH_SPEED, -1}},
        {KEY_UP, {WATCH_WISH_SPEED, 1}},
        {KEY_DOWN, {WATCH_WISH_SPEED, -1}},
        {'t', {WATCH_WISH_TAKE, 0}},
        {'q', {WATCH_WISH_QUIT, 0}},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].key == key) {
            *out = table[i].order;
            return true;
        }
    }
    return false;
}

// Return one past the last tick, lost ones included.
static bks_tick whole_end(const watch_player *player)
{
    bks_tick end = player->info->end;
    for (uint32_t i = 0; i < player->info->lost_count; i++) {
        bks_replay_lost lost;
        if (bks_replay_lost_at(player->feed->replay, i, &lost) == BKS_OK && lost.ticks > 0 &&
            lost.first + lost.ticks > end) {
            end = lost.first + lost.ticks;
        }
    }
    return end;
}

scrubber watch_view_scrubber(const watch_player *player)
{
    return (scrubber){
        .replay = player->feed->replay,
        .first = player->info->first,
        .end = whole_end(player),
        .here = bks_playback_tick(player->playback),
        .first_different = player->first_different,
        .keys = keys_shown,
    };
}

// Handle the mouse on the scrubber: a press on it grabs it, a release lets it go.
static bool scrub(watch_view *view, const watch_player *player, const window_wishes *wishes,
                  watch_order *out)
{
    if (!wishes->is_held || !view->has_bar) {
        view->is_grabbed = false;
        return false;
    }
    const scrubber line = watch_view_scrubber(player);
    const bks_tick tick = scrubber_at(&line, view->width, view->height, wishes->mouse_x,
                                      wishes->mouse_y, view->is_grabbed);
    view->is_grabbed = tick != BKS_TICK_NONE;
    *out = (watch_order){WATCH_WISH_GO, tick};
    return view->is_grabbed && tick != line.here;
}

uint32_t watch_view_poll(watch_view *view, const watch_player *player, watch_order *orders)
{
    key_list pressed = {0};
    bool wants_quit = stop_is_wanted();
    uint32_t count = 0;
    if (view->window != NULL) {
        const window_wishes wishes = window_poll(view->window);
        view->screen = window_screen_of(view->window);
        wants_quit |= wishes.quit;
        view->overlay_presses += wishes.overlay;
        const awake_signs signs = {.mouse = !view->is_live || !view->can_aim,
                                   .keys = !view->is_live};
        awake_look(&view->attention, &wishes, signs, tool_clock_ns(NULL));
        pressed = wishes.pressed;
        count += scrub(view, player, &wishes, &orders[0]) ? 1 : 0;
    } else if (view->terminal != NULL) {
        wants_quit |= term_wants_quit(view->terminal, &pressed);
    }
    if (wants_quit) {
        orders[0] = (watch_order){WATCH_WISH_QUIT, 0};
        return 1;
    }
    for (uint32_t i = 0; i < pressed.count && count < WATCH_ORDERS_MAX; i++) {
        (void)ears_key(view->heard, pressed.codes[i]);
        count += watch_view_key(pressed.codes[i], &orders[count]) ? 1 : 0;
    }
    return count;
}

void watch_view_controls(watch_view *view, uint32_t seat, uint32_t seats,
                         float values[WINDOW_CONTROLS])
{
    memset(values, 0, WINDOW_CONTROLS * sizeof(*values));
    view->seats = seats;
    if (view->window != NULL) {
        window_controls(view->window, seat, seats, values);
    }
}

// ---- drawing the recording ----

static void append_time(char out[OVERLAY_TEXT_BYTES], bks_tick tick, uint32_t rate_hz)
{
    const double seconds = (double)tick / (double)rate_hz;
    const int32_t minutes = (int32_t)(seconds / 60.0);
    text_add(out, OVERLAY_TEXT_BYTES, "%" PRId32 ":%04.1f", minutes, seconds - 60.0 * minutes);
}

static void append_speed(char out[OVERLAY_TEXT_BYTES], const watch_player *player)
{
    text_add(out, OVERLAY_TEXT_BYTES, player->speed >= 0 ? "   x%d%s%s" : "   x1/%d%s%s",
             1 << abs(player->speed),
             player->is_paused                ? "   paused"
             : player->is_waiting             ? "   waiting for more"
             : watch_player_has_ended(player) ? "   at the end"
                                              : "",
             player->feed->is_growing     ? "   being recorded"
             : !player->info->is_complete ? "   incomplete"
                                          : "");
}

static void append_hashes(char out[OVERLAY_TEXT_BYTES], const watch_player *player)
{
    if (player->first_different != BKS_TICK_NONE) {
        text_add(out, OVERLAY_TEXT_BYTES, "   NOT AS RECORDED from tick %" PRId32 " on",
                 player->first_different);
    } else {
        text_add(out, OVERLAY_TEXT_BYTES, "   %" PRId32 " hash%s the same", player->compared,
                 TOOL_PLURAL_ES(player->compared));
    }
}

void watch_view_status(const watch_picture *picture, char out[OVERLAY_TEXT_BYTES])
{
    const watch_player *player = picture->player;
    const bks_recording *info = player->info;
    out[0] = '\0';
    if (picture->live_from != BKS_TICK_NONE) {
        text_add(out, OVERLAY_TEXT_BYTES, "tick %" PRId32 "   ", picture->live_tick);
        append_time(out, picture->live_tick, info->tick_rate_hz);
        text_add(out, OVERLAY_TEXT_BYTES, "   live since tick %" PRId32 "%s", picture->live_from,
                 player->is_paused ? "   paused" : "");
        return;
    }
    const bks_tick tick = bks_playback_tick(player->playback);
    text_add(out, OVERLAY_TEXT_BYTES, "tick %" PRId32 "/%" PRId32 "   ", tick, info->end);
    append_time(out, tick, info->tick_rate_hz);
    text_add(out, OVERLAY_TEXT_BYTES, " of ");
    append_time(out, info->end, info->tick_rate_hz);
    append_speed(out, player);
    if (info->confirmed < info->ticks && tick > info->confirmed && tick <= info->ticks) {
        text_add(out, OVERLAY_TEXT_BYTES, "   not confirmed");
    } else {
        append_hashes(out, player);
    }
}

const char *watch_view_remark(const watch_picture *picture, char room[OVERLAY_TEXT_BYTES])
{
    if (picture->live_from != BKS_TICK_NONE) {
        return picture->is_held ? "press a control to play on" : NULL;
    }
    return watch_words_remark(picture->player, room, OVERLAY_TEXT_BYTES);
}

static void draw_game(const watch_picture *picture, const bks_canvas *canvas)
{
    if (picture->plugin->draw != NULL) {
        const bks_picture drawn = {
            .frame = picture->frame}; // a recording is never corrected, so nothing is eased
        picture->plugin->draw(&drawn, canvas);
    } else {
        overlay_inputs(canvas, picture->plugin->game, picture->player->info->players,
                       picture->inputs);
    }
}

// Describe the keys for players who took over.
static void describe_keys(const watch_view *view, const bks_plugin *plugin,
                          char out[OVERLAY_TEXT_BYTES])
{
    const key_hints line = {.plugin = plugin,
                            .keys = &view->settings.keys,
                            .seats = view->seats,
                            .window = view->window};
    key_hints_write(&line, out, OVERLAY_TEXT_BYTES);
}

// Draw the scrubber over the picture.
// @param how  description of the keys to play with, "": no one plays
static void draw_scrubber(const watch_picture *picture, const char *how, const bks_canvas *canvas)
{
    char status[OVERLAY_TEXT_BYTES];
    char room[OVERLAY_TEXT_BYTES];
    watch_view_status(picture, status);
    char keys[OVERLAY_TEXT_BYTES];
    scrubber line = watch_view_scrubber(picture->player);
    line.status = status;
    line.remark = watch_view_remark(picture, room);
    if (picture->live_from != BKS_TICK_NONE) {
        snprintf(keys, sizeof(keys), "%.300s%s%s", how, how[0] != '\0' ? "   " : "", keys_live);
        line.here = picture->live_from;
        line.keys = keys;
    }
    scrubber_draw(&line, canvas);
}

// Draw a picture: the game above, the scrubber below.
// @param how  description of the keys to play with, "": no one plays; NULL: draw no scrubber
static void draw(const watch_picture *picture, overlay_form form, const char *how,
                 const bks_canvas *canvas)
{
    bks_canvas above = *canvas;
    above.height -= how != NULL ? scrubber_height(canvas) : 0.0F;
    draw_game(picture, &above);
    watch_overlay_draw(picture, form, &above);
    if (how != NULL) {
        draw_scrubber(picture, how, canvas);
    }
}

// Return true if the scrubber is shown. While a recording plays without input from the user, only
// the game is shown.
static bool needs_scrubber(const watch_view *view, const watch_picture *picture)
{
    const watch_player *player = picture->player;
    char room[OVERLAY_TEXT_BYTES];
    return awake_is(&view->attention, tool_clock_ns(NULL)) || player->is_paused ||
           watch_view_remark(picture, room) != NULL ||
           (picture->live_from == BKS_TICK_NONE &&
            (player->is_waiting || watch_player_has_ended(player) ||
             player->first_different != BKS_TICK_NONE));
}

static uint64_t every_ns(const watch_view *view)
{
    switch (view->kind) {
    case PLAY_VIEW_WINDOW:
        return frame_pace_of_screen(view->pictures_hz, view->screen.rate_hz);
    case PLAY_VIEW_TERM:
        return FRAME_TERM_NS;
    case PLAY_VIEW_NONE:
    case PLAY_VIEW_LINES:
        break;
    }
    return FRAME_LINE_NS;
}

static void draw_window(watch_view *view, const watch_picture *shown)
{
    const bks_canvas canvas = window_canvas(view->window);
    view->width = canvas.width;
    view->height = canvas.height;
    picture_meter_take(&view->pictures, tool_clock_ns(NULL), &view->pace, 0);
    watch_picture picture = *shown;
    picture.pictures = view->pictures.rate;
    picture.pictures_hz = 1e9 / (double)every_ns(view);
    char how[OVERLAY_TEXT_BYTES] = "";
    const bool is_live = picture.live_from != BKS_TICK_NONE;
    if (is_live) {
        describe_keys(view, picture.plugin, how);
    }
    if (is_live && !view->is_live) { // show the keys to the players who have just taken over
        awake_rouse(&view->attention, tool_clock_ns(NULL));
    }
    view->is_live = is_live;
    view->has_bar = needs_scrubber(view, &picture);
    draw(&picture, overlay_after(picture.has_overlay, view->overlay_presses),
         view->has_bar ? how : NULL, &canvas);
}

static void draw_term(const watch_view *view, const watch_picture *picture)
{
    const bks_canvas canvas = term_canvas(view->terminal);
    // Draw no overlay on so few dots, because its text is not readable.
    draw(picture, false, "", &canvas);
    char text[OVERLAY_TEXT_BYTES];
    watch_view_status(picture, text);
    term_line(view->terminal, 0, text);
    const char *remark = watch_view_remark(picture, text);
    term_line(view->terminal, 1, remark != NULL ? remark : "");
    term_line(view->terminal, 2,
              picture->live_from != BKS_TICK_NONE
                  ? "no display: players with a device stay idle   space pause   q quit"
                  : keys_shown);
}

uint64_t watch_view_due_ns(const watch_view *view)
{
    return view->pace.due_ns;
}

static void print_line(const watch_view *view, const watch_picture *picture)
{
    char status[OVERLAY_TEXT_BYTES];
    char room[OVERLAY_TEXT_BYTES];
    watch_view_status(picture, status);
    const char *remark = watch_view_remark(picture, room);
    fprintf(view->lines_to, "%s%s%s\n", status, remark != NULL ? "   " : "",
            remark != NULL ? remark : "");
    fflush(view->lines_to);
}

typedef struct shown {
    watch_view *view;
    const watch_picture *picture;
} shown;

static uint64_t show_now(void *context)
{
    return tool_clock_ns(context);
}

static void show_draw(void *context, uint64_t now_ns)
{
    const shown *s = context;
    (void)now_ns;
    if (s->view->window != NULL) {
        draw_window(s->view, s->picture);
    } else if (s->view->terminal != NULL) {
        draw_term(s->view, s->picture);
    } else {
        print_line(s->view, s->picture);
    }
}

static bool show_present(void *context)
{
    const watch_view *view = ((const shown *)context)->view;
    if (view->window != NULL) {
        window_present(view->window);
        return view->screen.is_synced;
    }
    if (view->terminal != NULL) {
        term_present(view->terminal);
    }
    return false;
}

void watch_view_show(watch_view *view, const watch_picture *picture)
{
    shown context = {view, picture};
    const frame_loop loop = {.context = &context,
                             .now = show_now,
                             .draw = show_draw,
                             .present = show_present,
                             .every_ns = every_ns(view),
                             .pace = &view->pace};
    if (view->kind != PLAY_VIEW_NONE) {
        frame_loop_show(&loop);
    }
}

int watch_view_screenshot(const watch_picture *picture, const char *path)
{
    canvas_soft soft = {0};
    int status = TOOL_DAMAGED;
    if (canvas_soft_resize(&soft, PICTURE_WIDTH, PICTURE_HEIGHT)) {
        const bks_canvas canvas = canvas_soft_canvas(&soft, false);
        const char *how = picture->plugin->keys;
        draw(picture, picture->has_overlay ? OVERLAY_ALL : OVERLAY_NONE, how != NULL ? how : "",
             &canvas);
        status = png_write(path, soft.rgb, soft.width, soft.height);
    }
    canvas_soft_close(&soft);
    return status;
}
