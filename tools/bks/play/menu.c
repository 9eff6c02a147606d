// SPDX-License-Identifier: MIT

#include "play/menu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "screen/window/keys.h"

static int32_t clamp(int32_t value, int32_t least, int32_t greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

// Clamp each number of the page to its range, from top to bottom, because a number may limit the
// ranges of those below it.
static void settle(menu *m)
{
    menu_rows list;
    menu_list(m, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        const menu_row *row = &list.rows[i];
        if (row->kind == MENU_ROW_NUMBER) {
            *row->number = clamp(*row->number, row->least, row->greatest);
            menu_list(m, &list);
        }
    }
}

// Move the highlight to a row that can be chosen, because the page may have fewer rows than before.
static void light(menu *m)
{
    menu_rows list;
    menu_list(m, &list);
    uint32_t *lit = &m->lit[m->page];
    *lit = *lit < list.count ? *lit : list.count - 1;
    while (!menu_row_is_live(&list.rows[*lit])) { // the last row can always be chosen
        (*lit)++;
    }
}

static void go(menu *m, menu_page page)
{
    m->page = page;
    m->note[0] = '\0';
    m->waits_for_key = m->is_typing = false;
    settle(m);
    light(m);
}

void menu_open(menu *m, const menu_facts *facts, const user_settings *settings)
{
    *m = (menu){.facts = *facts,
                .settings = *settings,
                .players = 1,
                .bots = facts->has_bots ? 1 : 0,
                .seats = 2,
                .here = 1,
                .port = MENU_PORT};
    for (int page = MENU_PAGES; page-- > 0;) { // end with the first page, which is then shown
        go(m, (menu_page)page);
    }
}

// Find the row that shows the highlighted file in another list of files. If a row below the files
// is highlighted, find the same row below the other list.
static uint32_t find_lit(const menu *m, const char *const *files, uint32_t count)
{
    const uint32_t lit = m->lit[MENU_WATCH];
    if (lit >= m->facts.file_count) {
        // Without files, highlight row 0, which is "back".
        return m->facts.file_count == 0 ? 0 : lit - m->facts.file_count + count;
    }
    uint32_t row = 0;
    while (row < count && strcmp(files[row], m->facts.files[lit]) != 0) {
        row++;
    }
    return row < count ? row : lit;
}

void menu_refresh(menu *m, const char *const *files, uint32_t count, uint32_t older)
{
    m->lit[MENU_WATCH] = find_lit(m, files, count);
    m->facts.files = files;
    m->facts.file_count = count;
    m->facts.older_count = older;
    light(m);
}

void menu_say(menu *m, const char *note)
{
    snprintf(m->note, sizeof(m->note), "%s", note);
}

void menu_return(menu *m, const char *note)
{
    m->chosen = MENU_NOTHING;
    go(m, m->page == MENU_WATCH ? MENU_WATCH : MENU_START);
    menu_say(m, note);
}

void menu_quit(menu *m)
{
    m->chosen = MENU_QUIT;
}

// Show why an invitation cannot be read, in two rows if the sentence has two parts.
static void say_damage(menu *m, const char *sentence)
{
    static const char subject[] = "invitation ";
    const bool has_subject = strncmp(sentence, subject, strlen(subject)) == 0;
    sentence += has_subject ? strlen(subject) : 0;
    const char *rest = strstr(sentence, ", ");
    const int length = rest != NULL ? (int)(rest - sentence) : (int)strlen(sentence);
    snprintf(m->damage[0], MENU_TEXT_BYTES, "it %.*s", length, sentence);
    snprintf(m->damage[1], MENU_TEXT_BYTES, "%s", rest != NULL ? rest + 2 : "");
}

void menu_offer(menu *m, const char *text)
{
    const bool had_one = m->invitation[0] != '\0';
    m->invitation[0] = '\0';
    m->address[0] = '\0';
    m->damage[0][0] = '\0';
    text = text != NULL ? text + strspn(text, " \t\r\n") : "";
    const size_t length = strcspn(text, " \t\r\n");
    bks_invitation invitation;
    bks_error error = {0};
    if (length > 0 && length < sizeof(m->invitation)) {
        memcpy(m->invitation, text, length);
        m->invitation[length] = '\0';
        if (bks_invitation_parse(m->invitation, &invitation, &error) == BKS_OK) {
            memcpy(m->address, invitation.address, sizeof(m->address));
            m->is_for_watching = invitation.is_for_watching;
        } else {
            tool_log_drop(); // no log line: the page shows the error
            m->invitation[0] = '\0';
        }
    }
    if (m->invitation[0] == '\0' && strncmp(text, "bks:", 4) == 0) {
        say_damage(m, error.text[0] != '\0' ? error.text : "invitation is too long");
    }
    if (!had_one && m->invitation[0] != '\0') {
        m->lit[MENU_JOIN] = 0; // highlight the row `join`
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

static void wait_for_key(menu *m, bool is_second)
{
    m->note[0] = '\0';
    m->waits_for_key = true;
    m->adds_key = is_second;
}

static void change(menu *m, const menu_row *row, int32_t by)
{
    if (row->kind == MENU_ROW_NUMBER) {
        *row->number = clamp(*row->number + by, row->least, row->greatest);
        settle(m);
    } else if (row->kind == MENU_ROW_SWITCH) {
        *row->flag = by > 0;
    } else if (row->kind == MENU_ROW_KEY && by > 0) {
        wait_for_key(m, true);
    }
}

// Increase a number. The lowest value follows the highest, so that one key reaches all values.
static void turn(menu *m, const menu_row *row)
{
    *row->number = *row->number < row->greatest ? *row->number + 1 : row->least;
    settle(m);
}

// Reset the keys of one half of the keyboard. If the other half loses keys to it, the menu's note
// says so.
static void reset_keys(menu *m)
{
    const key_hand other = m->hand == KEY_HAND_FIRST ? KEY_HAND_SECOND : KEY_HAND_FIRST;
    const key_map before = m->settings.keys;
    key_map_reset(&m->settings.keys, m->hand);
    m->note[0] = '\0';
    if (m->hand != KEY_HAND_ALONE &&
        memcmp(before.keys[other], m->settings.keys.keys[other], sizeof(before.keys[other])) != 0) {
        snprintf(m->note, sizeof(m->note), "keys taken from the %s half",
                 other == KEY_HAND_FIRST ? "left" : "right");
    }
}

static void take(menu *m, const menu_row *row)
{
    switch (row->kind) {
    case MENU_ROW_GO:
        m->hand = row->page == MENU_KEYS ? row->hand : m->hand;
        go(m, row->page);
        break;
    case MENU_ROW_SWITCH:
        *row->flag = !*row->flag;
        break;
    case MENU_ROW_KEY:
        wait_for_key(m, false);
        break;
    case MENU_ROW_RESET:
        reset_keys(m);
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

// Type a digit of a number. The first digit replaces the number, later digits are appended unless
// the number gets too large.
static void type(menu *m, const menu_row *row, int32_t digit)
{
    if (row->kind == MENU_ROW_NUMBER) {
        const int32_t longer = m->is_typing ? 10 * *row->number + digit : digit;
        *row->number = clamp(longer <= row->greatest ? longer : digit, row->least, row->greatest);
        settle(m);
    }
}

// Remove the last digit of a number.
static void take_back(menu *m, const menu_row *row)
{
    *row->number = clamp(*row->number / 10, row->least, row->greatest);
    settle(m);
}

// Leave the page. The first page is left, and the menu ended, only by a second key press, because
// users easily press a key once too often after a match or a page.
static void leave(menu *m, const menu_rows *list)
{
    if (m->page == MENU_START) {
        const bool is_lit = m->lit[MENU_START] == list->count - 1; // true: the row `quit` is lit
        m->chosen = is_lit ? MENU_QUIT : MENU_NOTHING;
        m->lit[MENU_START] = list->count - 1;
    } else {
        go(m, menu_parent(m->page));
    }
}

void menu_bind(menu *m, key_place key)
{
    menu_rows list;
    menu_list(m, &list);
    const menu_row *row = &list.rows[m->lit[m->page]];
    if (!m->waits_for_key || row->kind != MENU_ROW_KEY) {
        return;
    }
    m->waits_for_key = false;
    key_hand whose = m->hand;
    key_action meant = row->action;
    const bool is_taken = key_map_find(&m->settings.keys, m->hand, key, &whose, &meant) &&
                          (whose != m->hand || meant != row->action);
    const bool is_bound = m->adds_key
                              ? key_map_add_key(&m->settings.keys, m->hand, row->action, key)
                              : key_map_bind(&m->settings.keys, m->hand, row->action, key);
    if (is_bound && is_taken) {
        snprintf(m->note, sizeof(m->note), "%s was \"%s\" %s, which has it no more",
                 menu_key_label(m, key), key_action_name(meant),
                 whose == m->hand          ? "here"
                 : whose == KEY_HAND_FIRST ? "of the left half"
                                           : "of the right half");
    } else if (!is_bound) {
        snprintf(m->note, sizeof(m->note), "%s cannot be had, it stays as it was",
                 menu_key_label(m, key));
    }
}

void menu_set_full_screen(menu *m, bool is_full)
{
    m->settings.is_full_screen = is_full;
}

void menu_set_volume(menu *m, int32_t volume)
{
    m->settings.volume = volume;
}

// Change the volume setting by the keys that change the volume in a match. M changes the setting,
// too, because in the menu there is no sound to mute.
// @return true if the key is M, + or -
static bool change_volume(menu *m, uint8_t key)
{
    int32_t *volume = &m->settings.volume;
    const int32_t louder = key == '+' || key == '=' ? 1 : key == '-' ? -1 : 0;
    if (key == 'm' && *volume > 0) {
        m->unmuted = *volume;
        *volume = 0;
    } else if (key == 'm') {
        *volume = m->unmuted > 0 ? m->unmuted : SETTINGS_VOLUME_FULL;
    } else if (louder != 0) {
        *volume = clamp(*volume + louder, 0, SETTINGS_VOLUME_FULL);
    } else {
        return false;
    }
    if (*volume > 0) {
        snprintf(m->note, sizeof(m->note), "sound at %" PRId32 " %%", 10 * *volume);
    } else {
        menu_say(m, "sound off");
    }
    return true;
}

void menu_key(menu *m, uint8_t key)
{
    if (m->waits_for_key) {
        m->waits_for_key = false;
        return;
    }
    if (change_volume(m, key)) {
        m->is_typing = false;
        return;
    }
    menu_rows list;
    menu_list(m, &list);
    const menu_row *row = &list.rows[m->lit[m->page]];
    const bool is_digit = key >= '0' && key <= '9';
    const bool is_back = key == KEY_BACKSPACE && row->kind == MENU_ROW_NUMBER;
    const bool is_clear = key == KEY_BACKSPACE && row->kind == MENU_ROW_KEY;
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
    case KEY_BACKSPACE:
        if (is_back) {
            take_back(m, row);
        } else if (is_clear) {
            m->note[0] = '\0';
            key_map_clear(&m->settings.keys, m->hand, row->action);
        } else {
            leave(m, &list);
        }
        break;
    case KEY_ESCAPE:
        leave(m, &list);
        break;
    default:
        if (is_digit) {
            type(m, row, key - '0');
        }
        break;
    }
    m->is_typing = is_digit || is_back;
}

void menu_point(menu *m, uint32_t row)
{
    menu_rows list;
    menu_list(m, &list);
    if (row < list.count && menu_row_is_live(&list.rows[row]) && !m->waits_for_key) {
        m->is_typing &= m->lit[m->page] == row;
        m->lit[m->page] = row;
    }
}
