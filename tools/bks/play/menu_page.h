// SPDX-License-Identifier: MIT

/// @file menu_page.h
/// Draws the start menu, and says which row a place on it belongs to.

#ifndef BKS_TOOL_MENU_PAGE_H
#define BKS_TOOL_MENU_PAGE_H

#include "backstitch/plugin.h"
#include "play/menu_list.h"

/// Draw the page that is shown. Of more rows than there is room for, those around the lit one.
/// @param about  a line about the game, may be NULL
void menu_page_draw(menu *m, const char *about, const bks_canvas *canvas);

/// Which row is at a place.
/// @param width, height  of the canvas when it was drawn
/// @return its number, UINT32_MAX: none
uint32_t menu_page_row_at(menu *m, float width, float height, float x, float y);

#endif
