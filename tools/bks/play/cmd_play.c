// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/tool.h"
#include "game/loader.h"
#include "game/match_options.h"
#include "play/demo.h"
#include "play/menu.h"
#include "play/menu_list.h"
#include "play/play_options.h"
#include "screen/window/settings.h"
#include "screen/window/window.h"

enum {
    WIDTH = 1120,
    HEIGHT = 720,
    PASTE_BYTES = 1024,
};

static const uint64_t PICTURE_NS = UINT64_C(16000000);

// State of the start menu apart from its pages.
typedef struct desk {
    const play_options *common;
    const loaded_game *game;
    user_settings kept; ///< saved settings; the window uses them, too
    window *window;
    menu menu;
    menu_files
        files[2];      ///< two lists of recordings: the menu shows one, the other is being replaced
    uint32_t files_at; ///< index of the list that the menu shows
    bool was_held;     ///< true: a mouse button was down when the last picture was drawn
    float mouse_x;     ///< horizontal position of the mouse at the last picture; negative: none
    float mouse_y;     ///< vertical position of the mouse at the last picture
    play_options match; ///< options of the match that the user chose last in the menu
    char port[8];
    char recorded[PLAY_RECORDED_BYTES]; ///< path of the newest match's recording, "": none
    char bots[BKS_PLAYERS_MAX][8];
} desk;

// ---- the user's choice as options of the command line ----

static void fill_local(desk *d, play_options *match)
{
    const uint32_t players = (uint32_t)d->menu.players;
    match->local = d->menu.players + d->menu.bots;
    for (uint32_t i = 0; i < (uint32_t)d->menu.bots; i++) {
        snprintf(d->bots[i], sizeof(d->bots[i]), "%u=bot", (unsigned)(players + i));
        match->inputs.items[match->inputs.count++] = d->bots[i];
    }
}

static void fill(desk *d)
{
    const menu *m = &d->menu;
    play_options *match = &d->match;
    *match = *d->common;
    switch (m->chosen) {
    case MENU_PLAY_LOCAL:
        fill_local(d, match);
        break;
    case MENU_PLAY_HOST:
        snprintf(d->port, sizeof(d->port), "%d", (int)m->port);
        match->host = d->port;
        match->players = m->seats;
        match->local = m->here;
        break;
    case MENU_PLAY_JOIN:
        match->join = m->invitation;
        match->local = m->here;
        match->game_options.count = 0; // the host decides the game's options for all peers
        match->on_desync = ON_DESYNC_NOT_GIVEN;
        break;
    case MENU_PLAY_FOLLOW:
        match->watch = m->invitation;
        break;
    case MENU_PLAY_WATCH:
        match->watch = d->files[d->files_at].names[m->file];
        break;
    case MENU_NOTHING:
    case MENU_PLAY_DEMO:
    case MENU_QUIT:
        break;
    }
}

static int run(desk *d)
{
    user_settings settings = d->kept;
    int status = TOOL_OK;
    if (d->menu.chosen == MENU_PLAY_DEMO) {
        const demo_config config = {.game = d->common->positionals.items[0],
                                    .has_window = true,
                                    .window = d->window,
                                    .settings = &settings};
        status = demo_run(&config, d->recorded);
    } else {
        fill(d);
        status = play_start(&d->match, d->game, &settings, d->window, d->recorded);
    }
    menu_set_volume(&d->menu, settings.volume); // keep_settings() saves the volume later
    return status;
}

// ---- running the menu ----

static void look(desk *d)
{
    char text[PASTE_BYTES];
    window_paste(d->window, text, sizeof(text));
    menu_offer(&d->menu, text);
    d->files_at ^= 1;
    menu_files *files = &d->files[d->files_at];
    menu_files_find(".", d->game->game->name, files);
    menu_refresh(&d->menu, files->names, files->count, files->older);
}

// Handle the mouse: moving it highlights a row, a click chooses the row.
static void take_mouse(desk *d, const window_wishes *wishes, const bks_canvas *canvas)
{
    const bool has_moved =
        d->mouse_x >= 0.0F && (wishes->mouse_x != d->mouse_x || wishes->mouse_y != d->mouse_y);
    const bool is_click = wishes->is_held && !d->was_held;
    d->was_held = wishes->is_held;
    d->mouse_x = wishes->mouse_x;
    d->mouse_y = wishes->mouse_y;
    if (!has_moved && !is_click) {
        return;
    }
    const uint32_t row =
        menu_page_row_at(&d->menu, canvas->width, canvas->height, d->mouse_x, d->mouse_y);
    menu_point(&d->menu, row);
    if (is_click && row == d->menu.lit[d->menu.page]) {
        menu_key(&d->menu, KEY_ENTER);
    }
}

static void press_all(desk *d, const key_list *pressed)
{
    for (uint32_t i = 0; i < pressed->count && d->menu.chosen == MENU_NOTHING; i++) {
        menu_key(&d->menu, pressed->codes[i]);
    }
}

// Handle keys. While the menu waits for a key to bind, every key except Escape is bound.
static void take_keys(desk *d, const window_wishes *wishes)
{
    if (!d->menu.waits_for_key) {
        press_all(d, &wishes->pressed);
        press_all(d, &wishes->pad_pressed);
    } else if (wishes->quit) {
        menu_key(&d->menu, KEY_ESCAPE);
    } else if (wishes->place != 0) {
        menu_bind(&d->menu, wishes->place);
    }
}

// Apply changed settings at once, and save them.
static void keep_settings(desk *d)
{
    const user_settings *wanted = &d->menu.settings;
    if (wanted->is_full_screen != d->kept.is_full_screen) {
        window_set_full_screen(d->window, wanted->is_full_screen);
    }
    // The key F11 may have changed whether the window fills the screen.
    menu_set_full_screen(&d->menu, window_is_full_screen(d->window));
    if (!settings_same(wanted, &d->kept)) {
        d->kept = *wanted;
        window_set_keys(d->window, &wanted->keys);
        tool_complaint_forget();
        (void)settings_save(wanted);
        if (tool_complaint()[0] != '\0') {
            menu_say(&d->menu, tool_complaint());
        }
    }
}

// Handle input and draw one picture of the menu.
static void turn(desk *d)
{
    window_ask_key(d->window, d->menu.waits_for_key);
    const window_wishes wishes = window_poll(d->window);
    const bks_canvas canvas = window_canvas(d->window);
    const menu_page page = d->menu.page;
    take_keys(d, &wishes);
    if (d->menu.chosen == MENU_NOTHING && (wishes.is_active || d->menu.page != page)) {
        look(d);
    }
    keep_settings(d);
    if (wishes.overlay && !d->menu.waits_for_key && d->menu.note[0] == '\0') {
        menu_say(&d->menu, "F1 shows statistics in a match and while watching");
    }
    if (d->menu.chosen == MENU_NOTHING) {
        take_mouse(d, &wishes, &canvas);
    }
    menu_page_draw(&d->menu, d->game->plugin->about, &canvas);
    window_present(d->window);
}

static void ask(desk *d)
{
    look(d);
    // A button that the user still holds down was pressed for the match, not for the menu.
    d->was_held = true;
    d->mouse_x = -1.0F;
    while (d->menu.chosen == MENU_NOTHING) {
        const uint64_t due_ns = tool_clock_ns(NULL) + PICTURE_NS;
        turn(d);
        if (window_is_closed(d->window) || stop_is_wanted()) {
            menu_quit(&d->menu);
        }
        const uint64_t now_ns = tool_clock_ns(NULL);
        if (d->menu.chosen == MENU_NOTHING && !window_screen_of(d->window).is_synced &&
            now_ns < due_ns) {
            tool_sleep_ns(due_ns - now_ns);
        }
    }
}

// Return the text that the menu shows about the user's last choice: the error, and the path of the
// recording.
static const char *describe_result(const desk *d, char room[MENU_TEXT_BYTES])
{
    const bool is_recorded = d->recorded[0] != '\0';
    snprintf(room, MENU_TEXT_BYTES, "%.200s%s%s%.180s", tool_complaint(),
             tool_complaint()[0] != '\0' ? "   " : "", is_recorded ? "recorded " : "", d->recorded);
    return room;
}

static int ask_and_play(desk *d)
{
    char note[MENU_TEXT_BYTES];
    int status = TOOL_OK;
    for (ask(d); d->menu.chosen != MENU_QUIT; ask(d)) {
        tool_complaint_forget();
        d->recorded[0] = '\0';
        status = run(d);
        menu_return(&d->menu, describe_result(d, note));
    }
    return status;
}

static const char *label(void *context, key_place key)
{
    return window_key_label(context, key);
}

static void open_menu(desk *d)
{
    const bks_game *game = d->game->game;
    const menu_facts facts = {.game = game->name,
                              .seats_least = game->players_min > 0 ? game->players_min : 1,
                              .seats_most = game->players_max,
                              .has_bots = game->bot != NULL,
                              .label = label,
                              .context = d->window};
    menu_open(&d->menu, &facts, &d->kept);
    menu_say(&d->menu, tool_complaint()); // show an error in the settings file
}

/// Show the menu, and again after each match, until the user quits.
/// @param o  options that all matches have in common; they name no match
/// @param kept  the user's settings; changes are saved
/// @return the exit status of the last match; TOOL_OK if none was played, TOOL_NO if no window
///         opens
static int start_menu(const play_options *o, const loaded_game *game, const user_settings *kept)
{
    char title[128];
    snprintf(title, sizeof(title), "%s - bks", game->game->name);
    desk *d = calloc(1, sizeof(*d));
    if (d == NULL) {
        tool_complain("play", "out of memory");
        return TOOL_NO;
    }
    d->common = o;
    d->game = game;
    d->kept = *kept;
    d->window = window_open(title, WIDTH, HEIGHT, o->pictures == 0, kept);
    int status = TOOL_NO;
    if (d->window != NULL) {
        stop_catch();
        open_menu(d);
        status = ask_and_play(d);
    }
    window_close(d->window);
    free(d);
    return status;
}

int cmd_play(int argc, char **argv)
{
    const play_options *o = NULL;
    int status = play_options_read(argc, argv, &o);
    if (status != ARGS_GO) {
        return status;
    }
    const bool has_window = play_start_view(o) == PLAY_VIEW_WINDOW;
    const bool has_menu = has_window && play_options_name_no_match(o);
    if (!has_menu && play_options_check_network(o) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    loaded_game game;
    status = loader_open(o->positionals.items[0], &game);
    if (status != TOOL_OK) {
        return status;
    }
    user_settings mine;
    if (has_window) {
        settings_load(&mine);
    }
    if (has_menu) {
        return start_menu(o, &game, &mine);
    }
    char recorded[PLAY_RECORDED_BYTES];
    if (!has_window) {
        return play_start(o, &game, NULL, NULL, recorded);
    }
    const user_settings before = mine;
    status = play_start(o, &game, &mine, NULL, recorded);
    if (!settings_same(&before, &mine)) {
        (void)settings_save(&mine); // keys pressed in the window may have changed the settings
    }
    return status;
}
