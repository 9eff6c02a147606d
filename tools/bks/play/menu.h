// SPDX-License-Identifier: MIT

/// @file menu.h
/// The start menu without window and clock: its pages, what a key does on them, and what the user
/// chose. A page is a list of rows, which are drawn (menu_page.h) and worked with keys alike.
///
///     menu m;
///     menu_open(&m, &facts);
///     menu_key(&m, KEY_DOWN);
///     if (m.chosen != MENU_NOTHING) { … }

#ifndef BKS_TOOL_MENU_H
#define BKS_TOOL_MENU_H

#include <stdbool.h>
#include <stdint.h>

#include "backstitch/invitation.h"

enum {
    MENU_FILES_MAX = 100, ///< recordings on the page
    MENU_ROWS_MAX = MENU_FILES_MAX + 2,
    MENU_PORT = 7777, ///< where a match is hosted, unless the user wants another one
    MENU_TEXT_BYTES = 400,
};

/// Its pages.
typedef enum menu_page {
    MENU_START,
    MENU_LOCAL, ///< a match on this machine
    MENU_HOST,
    MENU_JOIN,
    MENU_WATCH,
    MENU_PAGES,
} menu_page;

/// What the user chose.
typedef enum menu_choice {
    MENU_NOTHING, ///< nothing yet
    MENU_PLAY_LOCAL,
    MENU_PLAY_HOST,
    MENU_PLAY_JOIN,
    MENU_PLAY_WATCH,
    MENU_PLAY_DEMO,
    MENU_QUIT,
} menu_choice;

/// What it is about. Texts must outlive the menu.
typedef struct menu_facts {
    const char *game;
    uint32_t seats_least; ///< players of a match
    uint32_t seats_most;
    bool has_bots;
    const char *const *files; ///< recordings, newest first
    uint32_t file_count;      ///< 0..MENU_FILES_MAX
} menu_facts;

/// A menu. Read it; menu_ calls alone write it.
typedef struct menu {
    menu_facts facts;
    menu_page page;
    uint32_t lit[MENU_PAGES]; ///< the row that keys work on, of each page
    menu_choice chosen;
    int32_t players; ///< MENU_PLAY_LOCAL: at this machine
    int32_t bots;    ///< MENU_PLAY_LOCAL: besides
    int32_t seats;   ///< MENU_PLAY_HOST: of the match
    int32_t here;    ///< MENU_PLAY_HOST, MENU_PLAY_JOIN: of them at this machine
    int32_t port;    ///< MENU_PLAY_HOST: 0 takes any
    uint32_t file;   ///< MENU_PLAY_WATCH: its number
    char invitation[BKS_INVITATION_BYTES_MAX];      ///< MENU_PLAY_JOIN; "" when there is none
    char address[BKS_INVITATION_ADDRESS_BYTES_MAX]; ///< where that leads
    char note[MENU_TEXT_BYTES];                     ///< what came of the last choice, "": nothing
} menu;

/// Kinds of rows.
typedef enum menu_row_kind {
    MENU_ROW_TEXT,   ///< only to be read
    MENU_ROW_GO,     ///< leads to another page
    MENU_ROW_CHOOSE, ///< ends the menu
    MENU_ROW_NUMBER, ///< left and right change it
} menu_row_kind;

/// A row of a page.
typedef struct menu_row {
    menu_row_kind kind;
    const char *label;
    const char *value;  ///< TEXT: at its right; NULL: none
    int32_t *number;    ///< NUMBER …
    int32_t least;      ///< … and its range
    int32_t greatest;   ///< the same
    const char *zero;   ///< NUMBER: what 0 is called; NULL: "0"
    menu_page page;     ///< GO
    menu_choice choice; ///< CHOOSE
    uint32_t file;      ///< MENU_PLAY_WATCH
} menu_row;

/// The rows of the page that is shown.
typedef struct menu_rows {
    uint32_t count;
    menu_row rows[MENU_ROWS_MAX];
} menu_rows;

/// Begin at the first page.
/// @param facts  copied
void menu_open(menu *m, const menu_facts *facts);

/// The same recordings no more: there are others now.
void menu_refresh(menu *m, const char *const *files, uint32_t count);

/// Show the first page again, after what was chosen.
/// @param note  what came of it, "" for nothing; what is too long is cut
void menu_return(menu *m, const char *note);

/// Quit, whatever page is shown.
void menu_quit(menu *m);

/// Take an invitation from the clipboard, or drop the one before.
/// @param text  may come from anywhere; NULL: there is none
void menu_offer(menu *m, const char *text);

/// The rows of the page, from the top.
/// @param out  receives them; they point into the menu, and into its facts
void menu_list(menu *m, menu_rows *out);

/// What the page is called.
const char *menu_title(const menu *m);

/// A key of keys.h: up and down light another row, left, right and digits change a number, Enter
/// takes the row, Escape and backspace go back.
void menu_key(menu *m, uint8_t key);

/// The mouse is on this row; what cannot be taken stays as it is.
void menu_point(menu *m, uint32_t row);

/// Whether keys and the mouse work on a row.
bool menu_row_is_live(const menu_row *row);

#endif
