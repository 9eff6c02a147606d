// SPDX-License-Identifier: MIT

#include "play/menu.h"

#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "screen/keys.h"

enum { PORT_MOST = 65535 };

static int32_t clamp(int32_t value, int32_t least, int32_t greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

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
    return m->page == MENU_HOST ? m->seats : (int32_t)m->facts.seats_most;
}

// One number bounds another.
static void settle(menu *m)
{
    m->players = clamp(m->players, least_players(&m->facts), (int32_t)m->facts.seats_most);
    m->bots = clamp(m->bots, least_bots(m), most_bots(m));
    m->seats = clamp(m->seats, least_seats(&m->facts), (int32_t)m->facts.seats_most);
    m->here = clamp(m->here, 1, most_here(m));
    m->port = clamp(m->port, 0, PORT_MOST);
}

// ---- the pages ----

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
        add_page(out, "join a match", MENU_JOIN);
    }
    add_page(out, "watch a recording", MENU_WATCH);
    if (m->facts.has_bots && m->facts.seats_most >= 4) {
        add_choice(out, "three bots over a bad connection", MENU_PLAY_DEMO);
    }
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
    if (m->invitation[0] == '\0') {
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "no invitation in the clipboard:"});
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "copy the host's, it begins bks://"});
        return;
    }
    add_choice(out, "join", MENU_PLAY_JOIN);
    add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "host", .value = m->address});
    add_number(out, "players at this machine", &m->here, 1, most_here(m));
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
        add(out, (menu_row){.kind = MENU_ROW_TEXT, .label = "no recording in this folder"});
    }
}

void menu_list(menu *m, menu_rows *out)
{
    static void (*const pages[MENU_PAGES])(menu *, menu_rows *) = {
        [MENU_START] = list_start, [MENU_LOCAL] = list_local, [MENU_HOST] = list_host,
        [MENU_JOIN] = list_join,   [MENU_WATCH] = list_watch,
    };
    out->count = 0;
    pages[m->page](m, out);
    if (m->page != MENU_START) {
        add_page(out, "back", MENU_START);
    }
}

const char *menu_title(const menu *m)
{
    static const char *const titles[MENU_PAGES] = {
        [MENU_START] = "",
        [MENU_LOCAL] = "play at this machine",
        [MENU_HOST] = "host a match",
        [MENU_JOIN] = "join a match",
        [MENU_WATCH] = "watch a recording",
    };
    return titles[m->page];
}

bool menu_row_is_live(const menu_row *row)
{
    return row->kind != MENU_ROW_TEXT;
}

// ---- what becomes of it ----

// A page may have lost its lit row since.
static void light(menu *m)
{
    menu_rows list;
    menu_list(m, &list);
    uint32_t *lit = &m->lit[m->page];
    *lit = *lit < list.count ? *lit : list.count - 1;
    while (!menu_row_is_live(&list.rows[*lit])) { // the last row is
        (*lit)++;
    }
}

static void go(menu *m, menu_page page)
{
    m->page = page;
    m->note[0] = '\0';
    settle(m);
    light(m);
}

void menu_open(menu *m, const menu_facts *facts)
{
    *m = (menu){.facts = *facts, .players = 1, .bots = 1, .seats = 2, .here = 1, .port = MENU_PORT};
    go(m, MENU_START);
}

void menu_refresh(menu *m, const char *const *files, uint32_t count)
{
    m->facts.files = files;
    m->facts.file_count = count;
    light(m);
}

void menu_return(menu *m, const char *note)
{
    m->chosen = MENU_NOTHING;
    go(m, MENU_START);
    snprintf(m->note, sizeof(m->note), "%s", note);
}

void menu_quit(menu *m)
{
    m->chosen = MENU_QUIT;
}

void menu_offer(menu *m, const char *text)
{
    const bool had_one = m->invitation[0] != '\0';
    m->invitation[0] = '\0';
    m->address[0] = '\0';
    text = text != NULL ? text + strspn(text, " \t\r\n") : "";
    const size_t length = strcspn(text, " \t\r\n");
    bks_invitation invitation;
    if (length > 0 && length < sizeof(m->invitation)) {
        memcpy(m->invitation, text, length);
        m->invitation[length] = '\0';
        if (bks_invitation_parse(m->invitation, &invitation, NULL) == BKS_OK) {
            memcpy(m->address, invitation.address, sizeof(m->address));
        } else {
            tool_log_drop(); // the page says it
            m->invitation[0] = '\0';
        }
    }
    if (!had_one && m->invitation[0] != '\0') {
        m->lit[MENU_JOIN] = 0; // the way in
    }
    light(m);
}

static void step(menu *m, const menu_rows *list, uint32_t by)
{
    uint32_t *lit = &m->lit[m->page];
    do {
        *lit = (*lit + by) % list->count;
    } while (!menu_row_is_live(&list->rows[*lit]));
}

static void change(menu *m, const menu_row *row, int32_t by)
{
    if (row->kind == MENU_ROW_NUMBER) {
        *row->number = clamp(*row->number + by, row->least, row->greatest);
        settle(m);
    }
}

// Behind the greatest comes the least, so that one key reaches all.
static void turn(menu *m, const menu_row *row)
{
    *row->number = *row->number < row->greatest ? *row->number + 1 : row->least;
    settle(m);
}

static void take(menu *m, const menu_row *row)
{
    switch (row->kind) {
    case MENU_ROW_GO:
        go(m, row->page);
        break;
    case MENU_ROW_CHOOSE:
        m->chosen = row->choice;
        m->file = row->file;
        break;
    case MENU_ROW_NUMBER:
        turn(m, row);
        break;
    case MENU_ROW_TEXT:
        break;
    }
}

// A digit behind the others, or instead of them where that would be too much.
static void type(menu *m, const menu_row *row, int32_t digit)
{
    if (row->kind == MENU_ROW_NUMBER) {
        const int32_t longer = 10 * *row->number + digit;
        *row->number = clamp(longer <= row->greatest ? longer : digit, row->least, row->greatest);
        settle(m);
    }
}

static void leave(menu *m)
{
    if (m->page == MENU_START) {
        m->chosen = MENU_QUIT;
    } else {
        go(m, MENU_START);
    }
}

void menu_key(menu *m, uint8_t key)
{
    menu_rows list;
    menu_list(m, &list);
    const menu_row *row = &list.rows[m->lit[m->page]];
    switch (key) {
    case KEY_UP:
        step(m, &list, list.count - 1);
        break;
    case KEY_DOWN:
        step(m, &list, 1);
        break;
    case KEY_LEFT:
        change(m, row, -1);
        break;
    case KEY_RIGHT:
        change(m, row, 1);
        break;
    case KEY_ENTER:
        take(m, row);
        break;
    case KEY_ESCAPE:
    case KEY_BACKSPACE:
        leave(m);
        break;
    default:
        if (key >= '0' && key <= '9') {
            type(m, row, key - '0');
        }
        break;
    }
}

void menu_point(menu *m, uint32_t row)
{
    menu_rows list;
    menu_list(m, &list);
    if (row < list.count && menu_row_is_live(&list.rows[row])) {
        m->lit[m->page] = row;
    }
}
