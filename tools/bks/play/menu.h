// SPDX-License-Identifier: MIT

/// @file menu.h
/// The start menu without window and clock: its pages, what a key does on them, and what the user
/// chose.
///
///     menu m;
///     menu_open(&m, &facts, &settings);
///     menu_key(&m, KEY_DOWN);
///     if (m.chosen != MENU_NOTHING) { … }

#ifndef BKS_TOOL_MENU_H
#define BKS_TOOL_MENU_H

#include "play/menu_list.h"

/// Begin at the first page.
/// @param facts, settings  copied
void menu_open(menu *m, const menu_facts *facts, const user_settings *settings);

/// The same recordings no more: there are others now.
/// @param older  how many there are besides
void menu_refresh(menu *m, const char *const *files, uint32_t count, uint32_t older);

/// Show a page again after what was chosen: that of the recordings after one was watched, else the
/// first.
/// @param note  what came of it, "" for nothing; what is too long is cut
void menu_return(menu *m, const char *note);

/// Say something below the rows, "" for nothing, until another page is shown.
void menu_say(menu *m, const char *note);

/// Quit, whatever page is shown.
void menu_quit(menu *m);

/// Take an invitation from the clipboard, or drop the one before.
/// @param text  may come from anywhere; NULL: there is none
void menu_offer(menu *m, const char *text);

/// A key of keys.h: up and down light another row, left, right and digits change a number, Enter
/// takes the row, Escape and backspace go back; from the first page Escape quits when it is pressed
/// twice. M, + and - are for the sound on every page. On the row of a key Enter waits for another
/// one, right for a second one, and backspace lets it have none. While a key is waited for: leave
/// it as it was.
void menu_key(menu *m, uint8_t key);

/// The key that the lit row waits for. One that cannot be had leaves all as it was. The note says
/// so, and what the key meant until now.
void menu_bind(menu *m, key_place key);

/// Set whether the window fills the screen, when something else than the menu changed it.
void menu_set_full_screen(menu *m, bool is_full);

/// Keys of a match changed how loud it is.
void menu_set_volume(menu *m, int32_t volume);

/// The mouse is on this row; what cannot be taken stays as it is.
void menu_point(menu *m, uint32_t row);

#endif
