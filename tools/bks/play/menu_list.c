// SPDX-License-Identifier: MIT

#include "play/menu_list.h"

#include <inttypes.h>
#include <stdio.h>

enum { PORT_MOST = 65535 };

static int32_t least_players(const menu_facts *facts)
{
    return facts->has_bots ? 1 : (int32_t)facts->seats_least;
}

static int32_t least_bots(const menu *m)
{
    const int32_t missing = (int32_t)m->facts.seats_least - m->players;
    return missing > 0 ? missing : 0;
}

static int32_t most_bots(const menu *m)
{
    return m->facts.has_bots ? (int32_t)m->facts.seats_most - m->players : 0;
}

static int32_t least_seats(const menu_facts *facts)
{
    return facts->seats_least > 2 ? (int32_t)facts->seats_least : 2;
}

static int32_t most_here(const menu *m)
{
    // The host leaves at least one seat to another machine.
    return m->page == MENU_HOST ? m->seats - 1 : (int32_t)m->facts.seats_most;
}

// ---- listing the rows of each page ----

static void add(menu_rows *out, menu_row row)
{
    if (out->count < MENU_ROWS_MAX) {
        out->rows[out->count++] = row;
    }
}

static void add_page(menu_rows *out, const char *label, menu_page page)
{
    add(out, (menu_row){.kind = MENU_ROW_GO, .label = label, .page = page});
}

static void add_choice(menu_rows *out, const char *label, menu_choice choice)
{
    add(out, (menu_row){.kind = MENU_ROW_CHOOSE, .label = label, .choice = choice});
}

static void add_number(menu_rows *out, const char *label, int32_t *number, int32_t least,
                       int32_t greatest)
{
    add(out, (menu_row){.kind = MENU_ROW_NUMBER,
                        .label = label,
                        .number = number,
                        .least = least,
                        .greatest = greatest});
}

static void list_start(menu *m, menu_rows *out)
{
    add_page(out, "play at this machine", MENU_LOCAL);
    if (m->facts.seats_most >= 2) {
        add_page(out, "host a match", MENU_HOST);
        add_page(out, "join or watch a match", MENU_JOIN);
    }
    add_page(out, "watch a recording", MENU_WATCH);
    if (m->facts.has_bots && m->facts.seats_most >= 4) {
        add_choice(out, "three bots over a bad connection", MENU_PLAY_DEMO);
    }
    add_page(out, "options", MENU_OPTIONS);
    add_choice(out, "quit", MENU_QUIT);
}

static void list_local(menu *m, menu_rows *out)
{
    const menu_facts *facts = &m->facts;
    add_choice(out, "start", MENU_PLAY_LOCAL);
    add_number(out, "players", &m->players, least_players(facts), (int32_t)facts->seats_most);
    if (facts->has_bots) {
        add_number(out, "bots", &m->bots, least_bots(m), most_bots(m));
    }
}

static void list_host(menu *m, menu_rows *out)
{
    add_choice(out, "start", MENU_PLAY_HOST);
    add_number(out, "players", &m->seats, least_seats(&m->facts), (int32_t)m->facts.seats_most);
    add_number(out, "of them at this machine", &m->here, 1, most_here(m));
    add(out, (menu_row){.kind = MENU_ROW_NUMBER,
                        .label = "UDP port",
                        .number = &m->port,
                        .greatest = PORT_MOST,
                        .zero = "any"});
}

static void list_join(menu *m, menu_rows *out)
{
    if (m->damage[0][0] != '\0') {
        add(out,
            (menu_row){.kind = MENU_ROW_TEXT, .label = "the clipboard's invitation is damaged:"});
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = m->damage[0]});
        if (m->damage[1][0] != '\0') {
            add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = m->damage[1]});
        }
        add(out,
            (menu_row){.kind = MENU_ROW_TEXT, .label = "copy the host's again, all of it: Ctrl+V"});
        return;
    }
    if (m->invitation[0] == '\0') {
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "no invitation in the clipboard:"});
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "copy the host's, it begins bks://"});
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "Ctrl+V reads the clipboard again"});
        return;
    }
    if (m->is_for_watching) {
        add_choice(out, "watch", MENU_PLAY_FOLLOW);
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "machine", .value = m->address});
        return;
    }
    add_choice(out, "join", MENU_PLAY_JOIN);
    add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "host", .value = m->address});
    add_number(out, "players at this machine", &m->here, 1, most_here(m));
    add_choice(out, "only watch", MENU_PLAY_FOLLOW);
}

static void list_watch(menu *m, menu_rows *out)
{
    for (uint32_t i = 0; i < m->facts.file_count && i < MENU_FILES_MAX; i++) {
        add(out, (menu_row){.kind = MENU_ROW_CHOOSE,
                            .label = m->facts.files[i],
                            .choice = MENU_PLAY_WATCH,
                            .file = i});
    }
    if (m->facts.file_count == 0) {
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "no recording of it in this folder"});
    }
    if (m->facts.older_count > 0) {
        add(out,
            (menu_row){.kind = MENU_ROW_TEXT, .label = "and older ones: bks play --watch FILE"});
    }
}

static void add_switch(menu_rows *out, const char *label, bool *flag)
{
    add(out, (menu_row){.kind = MENU_ROW_SWITCH, .label = label, .flag = flag});
}

static void add_hand(menu_rows *out, const char *label, key_hand hand)
{
    add(out, (menu_row){.kind = MENU_ROW_GO, .label = label, .page = MENU_KEYS, .hand = hand});
}

static void list_options(menu *m, menu_rows *out)
{
    add_switch(out, "full screen (F11)", &m->settings.is_full_screen);
    add_switch(out, "statistics (F1)", &m->settings.has_overlay);
    add(out, (menu_row){.kind = MENU_ROW_NUMBER,
                        .label = "sound (M + -)",
                        .number = &m->settings.volume,
                        .greatest = SETTINGS_VOLUME_FULL,
                        .zero = "off",
                        .unit = "0 %"});
    add_hand(out, "keys of a player alone", KEY_HAND_ALONE);
    add_hand(out, "keys of two, left half", KEY_HAND_FIRST);
    add_hand(out, "keys of two, right half", KEY_HAND_SECOND);
}

static void list_keys(menu *m, menu_rows *out)
{
    (void)m;
    for (int i = 0; i < KEY_ACTIONS; i++) {
        add(out, (menu_row){.kind = MENU_ROW_KEY,
                            .label = key_action_name((key_action)i),
                            .action = (key_action)i});
    }
    add(out, (menu_row){.kind = MENU_ROW_RESET, .label = "the usual keys"});
}

menu_page menu_parent(menu_page page)
{
    return page == MENU_KEYS ? MENU_OPTIONS : MENU_START;
}

void menu_list(menu *m, menu_rows *out)
{
    static void (*const pages[MENU_PAGES])(menu *, menu_rows *) = {
        [MENU_START] = list_start, [MENU_LOCAL] = list_local, [MENU_HOST] = list_host,
        [MENU_JOIN] = list_join,   [MENU_WATCH] = list_watch, [MENU_OPTIONS] = list_options,
        [MENU_KEYS] = list_keys,
    };
    out->count = 0;
    pages[m->page](m, out);
    if (m->page != MENU_START) {
        add_page(out, "back", menu_parent(m->page));
    }
}

const char *menu_title(const menu *m)
{
    static const char *const titles[MENU_PAGES] = {
        [MENU_START] = "",
        [MENU_LOCAL] = "play at this machine",
        [MENU_HOST] = "host a match",
        [MENU_JOIN] = "join or watch a match",
        [MENU_WATCH] = "watch a recording",
        [MENU_OPTIONS] = "options",
    };
    static const char *const hands[KEY_HANDS] = {
        [KEY_HAND_ALONE] = "keys of a player alone",
        [KEY_HAND_FIRST] = "keys of two, left half",
        [KEY_HAND_SECOND] = "keys of two, right half",
    };
    if (m->page == MENU_KEYS) {
        return hands[m->hand];
    }
    return titles[m->page];
}

const char *menu_key_label(const menu *m, key_place key)
{
    if (m->facts.label != NULL) {
        return m->facts.label(m->facts.context, key);
    }
    return key != 0 ? key_place_name(key) : "none";
}

static void keys_of(const menu *m, key_action action, char out[MENU_TEXT_BYTES])
{
    const key_place *keys = m->settings.keys.keys[m->hand][action];
    const int length = snprintf(out, MENU_TEXT_BYTES, "%s", menu_key_label(m, keys[0]));
    if (keys[1] != 0 && length > 0 && length < MENU_TEXT_BYTES) {
        snprintf(out + length, MENU_TEXT_BYTES - (size_t)length, ", %s",
                 menu_key_label(m, keys[1]));
    }
}

void menu_value(const menu *m, const menu_row *row, char out[MENU_TEXT_BYTES])
{
    const bool is_lit_key = row->kind == MENU_ROW_KEY && m->waits_for_key;
    out[0] = '\0';
    switch (row->kind) {
    case MENU_ROW_NUMBER:
        if (*row->number == 0 && row->zero != NULL) {
            snprintf(out, MENU_TEXT_BYTES, "%s >", row->zero);
        } else {
            snprintf(out, MENU_TEXT_BYTES, "%s%" PRId32 "%s%s",
                     *row->number > row->least ? "< " : "", *row->number,
                     row->unit != NULL ? row->unit : "",
                     *row->number < row->greatest ? " >" : "  ");
        }
        break;
    case MENU_ROW_SWITCH:
        snprintf(out, MENU_TEXT_BYTES, "%s", *row->flag ? "< yes  " : "no >");
        break;
    case MENU_ROW_KEY:
        if (is_lit_key && (uint32_t)row->action == m->lit[m->page]) {
            snprintf(out, MENU_TEXT_BYTES, m->adds_key ? "press a second key" : "press a key");
        } else {
            keys_of(m, row->action, out);
        }
        break;
    case MENU_ROW_TEXT:
        snprintf(out, MENU_TEXT_BYTES, "%s", row->value != NULL ? row->value : "");
        break;
    case MENU_ROW_GO:
    case MENU_ROW_CHOOSE:
    case MENU_ROW_RESET:
        break;
    }
}

bool menu_row_is_live(const menu_row *row)
{
    return row->kind != MENU_ROW_TEXT;
}
