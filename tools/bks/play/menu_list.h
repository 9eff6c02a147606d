// SPDX-License-Identifier: MIT

/// @file menu_list.h
/// Contents of the start menu, and its pages as lists of rows. menu_page.c draws the rows, and
/// menu.h handles keys on them.

#ifndef BKS_TOOL_MENU_LIST_H
#define BKS_TOOL_MENU_LIST_H

#include "backstitch/match.h"
#include "backstitch/plugin.h"
#include "play/menu_files.h"
#include "screen/window/settings.h"

enum {
    MENU_ROWS_MAX = MENU_FILES_MAX + 3,
    MENU_PORT = 7777, ///< port that a hosted match uses unless the user changes it
    MENU_TEXT_BYTES = 400,
};

/// Pages of the menu.
typedef enum menu_page {
    MENU_START,
    MENU_LOCAL, ///< page on which the user sets up a match on this machine
    MENU_HOST,
    MENU_JOIN,
    MENU_WATCH,
    MENU_OPTIONS,
    MENU_KEYS, ///< page of the key bindings of a player at the keyboard
    MENU_PAGES,
} menu_page;

/// Choices with which the user leaves the menu.
typedef enum menu_choice {
    MENU_NOTHING, ///< the user has not chosen yet
    MENU_PLAY_LOCAL,
    MENU_PLAY_HOST,
    MENU_PLAY_JOIN,
    MENU_PLAY_FOLLOW, ///< watch the match of the invitation
    MENU_PLAY_WATCH,
    MENU_PLAY_DEMO,
    MENU_QUIT,
} menu_choice;

/// Game and files of the menu. Texts must outlive the menu.
typedef struct menu_facts {
    const char *game;
    uint32_t seats_least; ///< fewest players of a match
    uint32_t seats_most;
    bool has_bots;
    const char *const *files; ///< recordings, newest first
    uint32_t file_count;      ///< number of `files`, 0..MENU_FILES_MAX
    uint32_t older_count;     ///< number of recordings that are too old for the list

    /// Label of a key, "none" for no key. NULL: key_place_name() gives it.
    const char *(*label)(void *context, key_place key);
    void *context; ///< argument of `label`, may be NULL
} menu_facts;

/// A menu. Only the functions menu_* change its fields.
typedef struct menu {
    menu_facts facts;
    menu_page page;
    uint32_t lit[MENU_PAGES]; ///< highlighted row of each page
    menu_choice chosen;
    int32_t players; ///< for MENU_PLAY_LOCAL: number of players at this machine
    int32_t bots;    ///< for MENU_PLAY_LOCAL: number of bots
    int32_t seats;   ///< for MENU_PLAY_HOST: number of seats of the match
    int32_t here;    ///< for MENU_PLAY_HOST and MENU_PLAY_JOIN: number of players at this machine
    int32_t port;    ///< for MENU_PLAY_HOST: port on which this machine hosts, 0: any
    uint32_t file;   ///< for MENU_PLAY_WATCH: index in `files` of the recording to watch
    user_settings settings;
    int32_t unmuted; ///< volume of the sound before M muted it
    key_hand hand;   ///< MENU_KEYS: player whose keys are shown
    /// True if the next digit is appended to the number in the highlighted row.
    bool is_typing;
    /// True if the highlighted row waits for a key from menu_bind().
    bool waits_for_key;
    /// True if the next key becomes the action's second key, false if it replaces the action's
    /// keys.
    bool adds_key;
    /// For MENU_PLAY_JOIN and MENU_PLAY_FOLLOW: invitation of the match; "": none.
    char invitation[BKS_INVITATION_BYTES_MAX];
    bool is_for_watching;                           ///< the invitation opens no seat
    char address[BKS_INVITATION_ADDRESS_BYTES_MAX]; ///< host's address in `invitation`
    char damage[2][MENU_TEXT_BYTES]; ///< reason why an invitation cannot be read; "": none
    char note[MENU_TEXT_BYTES];      ///< result of the user's last choice, "": nothing to show
} menu;

/// Kinds of rows in a page of the menu.
typedef enum menu_row_kind {
    MENU_ROW_TEXT,   ///< row that cannot be chosen
    MENU_ROW_GO,     ///< row that leads to another page
    MENU_ROW_CHOOSE, ///< row that ends the menu
    MENU_ROW_NUMBER, ///< row of a number, changed by left and right
    MENU_ROW_SWITCH, ///< row that is on or off, changed by left and right
    MENU_ROW_KEY,    ///< row of a key binding
    MENU_ROW_RESET,  ///< row that resets the keys to the usual ones
} menu_row_kind;

/// A row of a page.
typedef struct menu_row {
    menu_row_kind kind;
    const char *label;
    const char *value;  ///< rows MENU_ROW_TEXT: text at the right; NULL: none
    int32_t *number;    ///< rows MENU_ROW_NUMBER: number that the row shows and changes
    int32_t least;      ///< rows MENU_ROW_NUMBER: lowest value
    int32_t greatest;   ///< rows MENU_ROW_NUMBER: highest value
    const char *zero;   ///< rows MENU_ROW_NUMBER: word that is shown for 0; NULL: the digit
    const char *unit;   ///< rows MENU_ROW_NUMBER: unit after the number; NULL: none
    bool *flag;         ///< rows MENU_ROW_SWITCH: flag that the row shows and changes
    key_action action;  ///< rows MENU_ROW_KEY: action whose keys the row shows
    menu_page page;     ///< rows MENU_ROW_GO: page to which the row leads
    key_hand hand;      ///< rows MENU_ROW_GO to MENU_KEYS: player whose keys the page shows
    menu_choice choice; ///< rows MENU_ROW_CHOOSE: choice with which the menu ends
    uint32_t file;      ///< rows MENU_ROW_CHOOSE with MENU_PLAY_WATCH: index of the recording
} menu_row;

/// Rows of the page that the menu shows.
typedef struct menu_rows {
    uint32_t count;
    menu_row rows[MENU_ROWS_MAX];
} menu_rows;

/// List the rows of the page, from the top.
/// @param out  receives the rows; their pointers lead into the menu and its facts
void menu_list(menu *m, menu_rows *out);

/// Write the text at the right of a row, "" for none.
void menu_value(const menu *m, const menu_row *row, char out[MENU_TEXT_BYTES]);

/// Return the label of a key.
/// @return text as in menu_facts.label
const char *menu_key_label(const menu *m, key_place key);

/// Return the page to which the row "back" leads.
menu_page menu_parent(menu_page page);

/// Return the title of the page.
const char *menu_title(const menu *m);

/// Return true if keys and the mouse work on a row.
bool menu_row_is_live(const menu_row *row);

// ---- menu_page.c: drawing a page ----

/// Draw the page that is shown. If not all rows fit, draw those around the highlighted row.
/// @param about  a line about the game, may be NULL
void menu_page_draw(menu *m, const char *about, const bks_canvas *canvas);

/// Find the row at a position on the canvas.
/// @param width, height  size of the canvas when the page was drawn
/// @return index of the row, UINT32_MAX: none
uint32_t menu_page_row_at(menu *m, float width, float height, float x, float y);

#endif
