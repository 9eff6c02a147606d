// SPDX-License-Identifier: MIT

#include "screen/player/play_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "base/tool.h"
#include "screen/window/canvas_soft.h"
#include "screen/window/controls.h"
#include "screen/window/key_hints.h"
#include "screen/window/png.h"
#include "screen/window/term.h"

enum {
    WINDOW_WIDTH = 1120,
    WINDOW_HEIGHT = 720,
    PICTURE_WIDTH = 1280,
    PICTURE_HEIGHT = 720,
};

static const uint64_t SAY_NS = UINT64_C(4000000000);

struct play_view {
    play_view_config config;
    user_settings settings;
    window *window;
    term *terminal;
    uint32_t overlay_presses; ///< number of times that F1 was pressed
    frame_pace pace;
    window_screen screen; ///< properties of the screen at the last poll
    view_pictures pictures;
    char message[OVERLAY_TEXT_BYTES];
    uint64_t message_ns;
    char paused[OVERLAY_TEXT_BYTES]; ///< text that is shown while the match is paused
    bool wants_pause;              ///< true: the user wants to pause the match, or to end its pause
    char keys[OVERLAY_TEXT_BYTES]; ///< keys to play with, and the key that ends the match
    /// Time of the user's last action; the keys are described on the screen for a while after it.
    awake attention;
    bool has_begun; ///< true: a picture of the match has been shown
    uint32_t seats; ///< number of players at this machine, as known so far
    /// Invitation on the waiting page, "" once the match runs.
    char invitation[OVERLAY_TEXT_BYTES];
    const char *copied; ///< result of copying the invitation, NULL: not copied yet
    int32_t *inputs;    ///< room for one tick's inputs
};

play_view_kind play_view_best(void)
{
    if (window_can_open()) {
        return PLAY_VIEW_WINDOW;
    }
    return term_can_open() ? PLAY_VIEW_TERM : PLAY_VIEW_LINES;
}

bks_pictures play_view_between(const play_view_config *config)
{
    return config->kind == PLAY_VIEW_WINDOW || config->kind == PLAY_VIEW_TERM
               ? view_pictures_kind(config->plugin)
               : BKS_PICTURES_NONE;
}

bool play_view_has_picture(const play_view *view, bool has_stepped)
{
    switch (view->config.kind) {
    case PLAY_VIEW_NONE:
        return false;
    case PLAY_VIEW_LINES:
        return true;
    case PLAY_VIEW_TERM:
    case PLAY_VIEW_WINDOW:
        break;
    }
    return !view->screen.is_hidden &&
           (has_stepped || play_view_between(&view->config) != BKS_PICTURES_NONE);
}

// Return the least time between two pictures in a window. If a game draws only at its ticks, and
// neither an option nor the screen sets the pace, this time is short, so that each tick is shown at
// once.
static uint64_t window_every_ns(const play_view *view)
{
    const bool has_pace = view->config.pictures_hz > 0 || view->screen.is_synced ||
                          play_view_between(&view->config) != BKS_PICTURES_NONE;
    return has_pace ? frame_pace_of_screen(view->config.pictures_hz, view->screen.rate_hz)
                    : FRAME_WINDOW_NS;
}

uint64_t play_view_every_ns(const play_view *view)
{
    switch (view->config.kind) {
    case PLAY_VIEW_WINDOW:
        return window_every_ns(view);
    case PLAY_VIEW_TERM:
        return FRAME_TERM_NS;
    case PLAY_VIEW_NONE:
    case PLAY_VIEW_LINES:
        break;
    }
    return FRAME_LINE_NS;
}

frame_pace *play_view_pace(play_view *view)
{
    return &view->pace;
}

static FILE *lines_to(const play_view *view)
{
    return view->config.lines_to_stderr ? stderr : stdout;
}

static bool open_screen(play_view *view)
{
    char title[128];
    const bks_game *game = view->config.plugin->game;
    switch (view->config.kind) {
    case PLAY_VIEW_WINDOW:
        if (view->config.window != NULL) {
            view->window = view->config.window;
            return true;
        }
        snprintf(title, sizeof(title), "%s - bks", game->name);
        view->window = window_open(title, WINDOW_WIDTH, WINDOW_HEIGHT,
                                   view->config.pictures_hz == 0, &view->settings);
        return view->window != NULL;
    case PLAY_VIEW_TERM:
        view->terminal = term_open();
        return view->terminal != NULL;
    case PLAY_VIEW_LINES:
    case PLAY_VIEW_NONE:
        break;
    }
    return true;
}

// Write the keys for the players at this machine, and how to end the match.
static void describe_keys(play_view *view)
{
    char own[OVERLAY_TEXT_BYTES] = "";
    const key_hints line = {.plugin = view->config.plugin,
                            .keys = &view->settings.keys,
                            .seats = view->seats,
                            .window = view->window};
    if (view->window != NULL) {
        key_hints_write(&line, own, sizeof(own));
    }
    awake_rouse(&view->attention, tool_clock_ns(NULL));
    snprintf(view->keys, sizeof(view->keys),
             "%.300s%s%sF1: statistics and tuning, F5: pause, F11: screen, Escape: end", own,
             own[0] != '\0' ? "   " : "", view->config.heard != NULL ? "M + -: sound, " : "");
}

play_view *play_view_open(const play_view_config *config)
{
    play_view *view = calloc(1, sizeof(*view));
    if (view != NULL) {
        view->config = *config;
        settings_usual(&view->settings);
        view->settings = config->settings != NULL ? *config->settings : view->settings;
        view->inputs = calloc((size_t)BKS_PLAYERS_MAX * BKS_FIELDS_MAX, sizeof(*view->inputs));
    }
    if (view == NULL || view->inputs == NULL ||
        !view_pictures_open(&view->pictures, config->plugin) || !open_screen(view)) {
        play_view_close(view);
        return NULL;
    }
    if (view->window != NULL) {
        window_set_aim(view->window, controls_can_aim(config->plugin));
    }
    describe_keys(view);
    return view;
}

void play_view_close(play_view *view)
{
    if (view != NULL) {
        if (view->window != NULL && view->config.settings != NULL) {
            view->config.settings->is_full_screen = window_is_full_screen(view->window);
        }
        window_close(view->config.window == NULL ? view->window : NULL);
        term_close(view->terminal);
        view_pictures_close(&view->pictures);
        free(view->inputs);
        free(view);
    }
}

static overlay_form overlay_of(const play_view *view)
{
    return overlay_after(view->config.has_overlay, view->overlay_presses);
}

// Copy the invitation if C was pressed on the waiting page.
static void copy_if_asked(play_view *view, const key_list *pressed)
{
    for (uint32_t i = 0; i < pressed->count && view->invitation[0] != '\0'; i++) {
        if (pressed->codes[i] == 'c') {
            view->copied = window_copy(view->window, view->invitation)
                               ? "copied: paste it to the other players"
                               : "the system has no clipboard: copy it from the terminal";
        }
    }
}

static void tune_match(play_view *view, const key_list *pressed)
{
    const bool is_seen = overlay_of(view) == OVERLAY_ALL && view->config.tuner != NULL;
    for (uint32_t i = 0; is_seen && i < pressed->count; i++) {
        (void)tuner_key(view->config.tuner, pressed->codes[i]);
    }
}

static void pause_if_asked(play_view *view, const key_list *pressed, uint8_t key)
{
    for (uint32_t i = 0; i < pressed->count; i++) {
        view->wants_pause ^= pressed->codes[i] == key;
    }
}

static void change_loudness(play_view *view, const key_list *pressed)
{
    for (uint32_t i = 0; i < pressed->count; i++) {
        const char *remark = ears_key(view->config.heard, pressed->codes[i]);
        if (remark != NULL) {
            play_view_say(view, remark);
        }
    }
}

static void take_pads(play_view *view, int32_t more)
{
    if (more != 0) {
        describe_keys(view);
        play_view_say(view, more > 0 ? "gamepad plugged in" : "gamepad unplugged");
    }
}

bool play_view_poll(play_view *view)
{
    if (view->window != NULL) {
        const window_wishes wishes = window_poll(view->window);
        view->screen = window_screen_of(view->window);
        view->overlay_presses += wishes.overlay;
        const awake_signs signs = {.mouse = !controls_can_aim(view->config.plugin)};
        awake_look(&view->attention, &wishes, signs, tool_clock_ns(NULL));
        take_pads(view, wishes.pads);
        copy_if_asked(view, &wishes.pressed);
        change_loudness(view, &wishes.pressed);
        tune_match(view, &wishes.pressed);
        pause_if_asked(view, &wishes.pressed, KEY_F5);
        return !wishes.quit && !stop_is_wanted();
    }
    if (view->terminal != NULL) {
        key_list pressed = {0};
        const bool has_quit = term_wants_quit(view->terminal, &pressed);
        pause_if_asked(view, &pressed, 'p');
        return !has_quit;
    }
    return !stop_is_wanted();
}

bool play_view_takes_pause(play_view *view)
{
    const bool wants_pause = view->wants_pause;
    view->wants_pause = false;
    return wants_pause;
}

void play_view_sample(play_view *view, const uint32_t *seats, uint32_t count, source_set *set)
{
    if (view->window == NULL) {
        return;
    }
    if (view->seats != count) {
        view->seats = count;
        describe_keys(view);
    }
    for (uint32_t i = 0; i < count; i++) {
        float controls[WINDOW_CONTROLS];
        window_controls(view->window, i, count, controls);
        controls_to_input(view->config.plugin, controls, source_set_device(set, seats[i]));
    }
}

void play_view_say(play_view *view, const char *text)
{
    snprintf(view->message, sizeof(view->message), "%s", text);
    view->message_ns = tool_clock_ns(NULL);
    if (view->config.kind == PLAY_VIEW_LINES) {
        fprintf(lines_to(view), "%s\n", text);
        fflush(lines_to(view));
    }
}

static void draw_gathering(const play_view *view, const bks_canvas *canvas, const char *invitation)
{
    const char *lines[6];
    uint32_t count = 0;
    if (invitation[0] != '\0') {
        lines[count++] = "waiting for the others, they join with";
        lines[count++] = invitation;
        lines[count++] = view->copied != NULL ? view->copied : "C copies it, Escape ends";
    } else {
        lines[count++] = "waiting for the match to start, Escape ends";
    }
    // Show the newest message, for example "the host does not answer".
    if (view->message[0] != '\0') {
        lines[count++] = view->message;
    }
    if (view->config.remark != NULL) {
        lines[count++] = view->config.remark;
    }
    overlay_page(canvas, view->config.plugin->game->name, lines, count);
}

void play_view_gather(play_view *view, const char *invitation)
{
    snprintf(view->invitation, sizeof(view->invitation), "%s", invitation);
    if (view->window != NULL) {
        const bks_canvas canvas = window_canvas(view->window);
        draw_gathering(view, &canvas, invitation);
    } else if (view->terminal != NULL) {
        const bks_canvas canvas = term_canvas(view->terminal);
        overlay_page(&canvas, view->config.plugin->game->name, NULL, 0);
        const char *remark = view->config.remark != NULL ? view->config.remark : "";
        const bool has_both = view->message[0] != '\0' && remark[0] != '\0';
        char last[2 * OVERLAY_TEXT_BYTES];
        snprintf(last, sizeof(last), "%s%s%s", view->message, has_both ? "   " : "", remark);
        term_line(view->terminal, 0, "waiting for the others   q quits");
        term_line(view->terminal, 1, invitation);
        term_line(view->terminal, 2, last);
    }
}

static void draw_match(const bks_plugin *plugin, bks_match *match, const overlay_figures *figures,
                       const bks_picture *picture, int32_t *inputs, const bks_canvas *canvas)
{
    if (plugin->draw != NULL) {
        plugin->draw(picture, canvas);
        return;
    }
    const bks_session *session = bks_match_session(match);
    const bks_tick tick = figures->tick > 0 ? figures->tick - 1 : 0;
    if (bks_session_inputs(session, tick, inputs) == BKS_OK) {
        overlay_inputs(canvas, plugin->game, figures->roster.players, inputs);
    }
}

static const char *message(play_view *view, const bks_roster *roster, uint64_t now)
{
    if (roster->is_paused) {
        snprintf(view->paused, sizeof(view->paused), "paused by peer %" PRIu32 "   %s: go on",
                 roster->paused_by, view->window != NULL ? "F5" : "p");
        return view->paused;
    }
    if (view->message[0] != '\0' && now - view->message_ns < SAY_NS) {
        return view->message;
    }
    if (view->window != NULL && view->config.has_devices) {
        return awake_is(&view->attention, now) ? view->keys : NULL;
    }
    return view->config.remark;
}

static void draw_window(play_view *view, bks_match *match, const overlay_figures *figures,
                        const bks_picture *picture)
{
    const bks_canvas canvas = window_canvas(view->window);
    const uint64_t now = tool_clock_ns(NULL);
    if (!view->has_begun) {
        view->has_begun = true;
        awake_rouse(&view->attention, now);
    }
    const char *text = message(view, &figures->roster, now);
    const float band = text != NULL ? overlay_message_height(&canvas, text) : 0.0F;
    bks_canvas above = canvas; // the game gets the canvas above the line of text
    above.height -= band;
    draw_match(view->config.plugin, match, figures, picture, view->inputs, &above);
    overlay_draw(figures, overlay_of(view), &canvas);
    if (text != NULL) {
        overlay_message(&canvas, band, text);
    }
}

static void draw_term(play_view *view, bks_match *match, const overlay_figures *figures,
                      const bks_picture *picture)
{
    const bks_canvas canvas = term_canvas(view->terminal);
    draw_match(view->config.plugin, match, figures, picture, view->inputs, &canvas);
    char lines[TERM_LINES][OVERLAY_TEXT_BYTES];
    overlay_lines(figures, lines);
    const char *text = message(view, &figures->roster, tool_clock_ns(NULL));
    char last[2 * OVERLAY_TEXT_BYTES + 32];
    snprintf(last, sizeof(last), "%s%sq quits, p pauses   %s", text != NULL ? text : "",
             text != NULL ? "   " : "", lines[2]);
    term_line(view->terminal, 0, lines[0]);
    term_line(view->terminal, 1, lines[1]);
    term_line(view->terminal, 2, last);
}

void play_view_draw(play_view *view, bks_match *match, const overlay_figures *figures,
                    uint64_t now_ns)
{
    view->invitation[0] = '\0';
    bks_frame frame;
    if (bks_match_frame(match, now_ns, &frame) != BKS_OK) {
        return;
    }
    const bks_picture picture = view_pictures_of(&view->pictures, &frame, now_ns);
    if (view->window != NULL) {
        draw_window(view, match, figures, &picture);
    } else if (view->terminal != NULL) {
        draw_term(view, match, figures, &picture);
    } else if (view->config.kind == PLAY_VIEW_LINES) {
        char line[OVERLAY_TEXT_BYTES];
        overlay_line(figures, line);
        fprintf(lines_to(view), "%s\n", line);
        fflush(lines_to(view));
    }
}

bool play_view_present(play_view *view)
{
    if (view->window != NULL) {
        window_present(view->window);
        return view->screen.is_synced;
    }
    if (view->terminal != NULL) {
        term_present(view->terminal);
    }
    return false;
}

int play_view_screenshot(bks_match *match, const bks_plugin *plugin, const overlay_figures *figures,
                         bool has_overlay, const char *path)
{
    canvas_soft picture = {0};
    int32_t *inputs = calloc((size_t)BKS_PLAYERS_MAX * BKS_FIELDS_MAX, sizeof(*inputs));
    int status = TOOL_DAMAGED;
    if (inputs != NULL && canvas_soft_resize(&picture, PICTURE_WIDTH, PICTURE_HEIGHT)) {
        const bks_canvas canvas = canvas_soft_canvas(&picture, false);
        const bks_picture still = bks_picture_of(bks_match_state(match));
        draw_match(plugin, match, figures, &still, inputs, &canvas);
        overlay_draw(figures, has_overlay ? OVERLAY_ALL : OVERLAY_NONE, &canvas);
        status = png_write(path, picture.rgb, picture.width, picture.height);
    }
    free(inputs);
    canvas_soft_close(&picture);
    return status;
}

static bool can_be_copied(const bks_plugin *plugin)
{
    return plugin->draw != NULL && plugin->game->create == NULL && !plugin->game->pointers;
}

bool view_pictures_interpolate(const bks_plugin *plugin)
{
    return plugin->is_blended && can_be_copied(plugin);
}

bks_pictures view_pictures_kind(const bks_plugin *plugin)
{
    return plugin->game->extrapolate != NULL && can_be_copied(plugin) ? BKS_PICTURES_EXTRAPOLATE
           : view_pictures_interpolate(plugin)                        ? BKS_PICTURES_INTERPOLATE
                                                                      : BKS_PICTURES_NONE;
}

bool view_pictures_open(view_pictures *pictures, const bks_plugin *plugin)
{
    // The loader has checked that smooth_count is within its limit.
    const uint32_t count = plugin->smooth_count;
    pictures->smooths = count > 0 ? calloc(count, sizeof(*pictures->smooths)) : NULL;
    return count == 0 || pictures->smooths != NULL;
}

void view_pictures_close(view_pictures *pictures)
{
    free(pictures->smooths);
    *pictures = (view_pictures){0};
}

bks_picture view_pictures_of(view_pictures *pictures, const bks_frame *frame, uint64_t now_ns)
{
    return (bks_picture){.frame = *frame, .smooths = pictures->smooths, .now_ns = now_ns};
}
