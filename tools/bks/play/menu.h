// SPDX-License-Identifier: MIT

/// @file menu.h
/// The start menu without window and clock: its pages, the effect of keys, and the user's choice.
///
///     menu m;
///     menu_open(&m, &facts, &settings);
///     menu_key(&m, KEY_DOWN);
///     if (m.chosen != MENU_NOTHING) { … }

#ifndef BKS_TOOL_MENU_H
#define BKS_TOOL_MENU_H

#include "play/menu_list.h"

/// Open a menu at its first page.
/// @param facts, settings  copied
void menu_open(menu *m, const menu_facts *facts, const user_settings *settings);

/// Replace the list of recordings.
/// @param older  number of recordings too old for the list
void menu_refresh(menu *m, const char *const *files, uint32_t count, uint32_t older);

/// Show the menu again after the user's choice was carried out: the page of recordings after one
/// was watched, else the first page.
/// @param note  text about the result of the choice, "" for none; a long text is cut
void menu_return(menu *m, const char *note);

/// Show a note below the rows until another page is shown. "" shows none.
void menu_say(menu *m, const char *note);

/// Leave the menu with the choice MENU_QUIT, whatever page is shown.
void menu_quit(menu *m);

/// Use an invitation from the clipboard, or forget the last one.
/// @param text  untrusted text; NULL: the clipboard has no text
void menu_offer(menu *m, const char *text);

/// Handle a key of keys.h. Up and down move the highlight. Left, right and digits change a number.
/// Enter chooses the row. Escape and backspace go back; on the first page, pressing Escape twice
/// quits. M, + and - change the volume on every page. On the row of a key binding, Enter waits for
/// a new key, right waits for a second key, and backspace removes all keys. While the menu waits
/// for a key, Escape keeps the binding.
void menu_key(menu *m, uint8_t key);

/// Bind a key to the action of the highlighted row, if the row waits for a key. If the key had
/// another action, it loses that action, and the menu's note names it. If the key cannot be bound,
/// the action keeps its keys, and the note says so.
void menu_bind(menu *m, key_place key);

/// Set whether the window fills the screen, after F11 changed it.
void menu_set_full_screen(menu *m, bool is_full);

/// Set the volume after keys of a match changed it.
void menu_set_volume(menu *m, int32_t volume);

/// Move the highlight to the row under the mouse. A row that cannot be chosen is not highlighted.
void menu_point(menu *m, uint32_t row);

#endif
