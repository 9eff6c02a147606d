// SPDX-License-Identifier: MIT

/// @file menu_list.h
/// What the start menu holds, and its pages as lists of rows, which are drawn (menu_page.c) and
/// worked with keys (menu.h) alike.

#ifndef BKS_TOOL_MENU_LIST_H
#define BKS_TOOL_MENU_LIST_H

#include "backstitch/match.h"
#include "backstitch/plugin.h"
#include "screen/window/settings.h"

enum {
    MENU_FILES_MAX = 100, ///< recordings on the page
    MENU_ROWS_MAX = MENU_FILES_MAX + 3,
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
    MENU_OPTIONS,
    MENU_KEYS, ///< keys of a player at the keyboard
    MENU_PAGES,
} menu_page;

/// Choice of the user.
typedef enum menu_choice {
    MENU_NOTHING, ///< nothing yet
    MENU_PLAY_LOCAL,
    MENU_PLAY_HOST,
    MENU_PLAY_JOIN,
    MENU_PLAY_WATCH,
    MENU_PLAY_DEMO,
    MENU_QUIT,
} menu_choice;

/// Game and files of the menu. Texts must outlive the menu.
typedef struct menu_facts {
    const char *game;
    uint32_t seats_least; ///< players of a match
    uint32_t seats_most;
    bool has_bots;
    const char *const *files; ///< recordings, newest first
    uint32_t file_count;      ///< 0..MENU_FILES_MAX
    uint32_t older_count;     ///< recordings that are not in the list, all older
    /// Label of a key, "none" for no key. NULL: key_place_name() gives it.
    const char *(*label)(void *context, key_place key);
    void *context; ///< handed to label
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
    user_settings settings;
    int32_t unmuted;                                ///< the volume before M turned it off
    key_hand hand;                                  ///< MENU_KEYS: whose they are
    bool is_typing;                                 ///< a digit goes behind the others
    bool waits_for_key;                             ///< the lit row's: menu_bind() gives it
    bool adds_key;                                  ///< the key is added as a second one
    char invitation[BKS_INVITATION_BYTES_MAX];      ///< MENU_PLAY_JOIN; "" when there is none
    char address[BKS_INVITATION_ADDRESS_BYTES_MAX]; ///< where that leads
    char damage[2][MENU_TEXT_BYTES]; ///< damage of a recording that cannot be read; "": none
    char note[MENU_TEXT_BYTES];      ///< result of the last choice, "": none
} menu;

/// Kinds of rows.
typedef enum menu_row_kind {
    MENU_ROW_TEXT,   ///< only to be read
    MENU_ROW_GO,     ///< leads to another page
    MENU_ROW_CHOOSE, ///< ends the menu
    MENU_ROW_NUMBER, ///< left and right change it
    MENU_ROW_SWITCH, ///< the same
    MENU_ROW_KEY,    ///< takes another key
    MENU_ROW_RESET,  ///< the keys become the usual ones
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
    const char *unit;   ///< NUMBER: behind it; NULL: nothing
    bool *flag;         ///< SWITCH
    key_action action;  ///< KEY
    menu_page page;     ///< GO
    key_hand hand;      ///< GO to MENU_KEYS
    menu_choice choice; ///< CHOOSE
    uint32_t file;      ///< MENU_PLAY_WATCH
} menu_row;

/// The rows of the page that is shown.
typedef struct menu_rows {
    uint32_t count;
    menu_row rows[MENU_ROWS_MAX];
} menu_rows;

/// The rows of the page, from the top.
/// @param out  receives them; they point into the menu, and into its facts
void menu_list(menu *m, menu_rows *out);

/// Write the text at the right of a row, "" for none.
void menu_value(const menu *m, const menu_row *row, char out[MENU_TEXT_BYTES]);

/// Return the label of a key.
/// @return as menu_facts.label
const char *menu_key_label(const menu *m, key_place key);

/// The page that one comes back to.
menu_page menu_parent(menu_page page);

/// Return the title of the page.
const char *menu_title(const menu *m);

/// Return true if keys and the mouse work on a row.
bool menu_row_is_live(const menu_row *row);

/// Some recordings.
typedef struct menu_files {
    uint32_t count;
    uint32_t older;                    ///< how many there are besides
    const char *names[MENU_FILES_MAX]; ///< newest first, within the folder; point into `rooms`
    char rooms[MENU_FILES_MAX][256];
} menu_files;

/// Find the newest files of a folder that are called *.bks and whose beginning says that they are
/// recordings of a game. What cannot be read is left out.
void menu_files_find(const char *folder, const char *game, menu_files *out);

// ---- menu_page.c ----

/// Draw the page that is shown. Of more rows than there is room for, those around the lit one.
/// @param about  a line about the game, may be NULL
void menu_page_draw(menu *m, const char *about, const bks_canvas *canvas);

/// Which row is at a place.
/// @param width, height  of the canvas when it was drawn
/// @return its number, UINT32_MAX: none
uint32_t menu_page_row_at(menu *m, float width, float height, float x, float y);

#endif
