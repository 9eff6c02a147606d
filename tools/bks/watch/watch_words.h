// SPDX-License-Identifier: MIT

/// @file watch_words.h
/// What there is to say of a recording that is played.

#ifndef BKS_TOOL_WATCH_WORDS_H
#define BKS_TOOL_WATCH_WORDS_H

#include "watch/watch_player.h"

/// What there is to say of the place: what happened shortly before it, what is damaged.
/// @param room      may receive it
/// @param capacity  its bytes; what is longer is cut
/// @return the text, NULL: nothing
const char *watch_words_remark(const watch_player *player, char *room, size_t capacity);

#endif
