// SPDX-License-Identifier: MIT

/// @file page.h
/// What watch.wasm offers to watch.html: it plays one recording. The page appends bytes as they
/// come, opens them, and then asks for each picture: bring it to this time, draw it. Wishes of the
/// user come in between.
///
/// It asks the page for a clock and, where the library wants it, for entropy
/// (wasi_snapshot_preview1).

#ifndef BKS_WEB_PAGE_H
#define BKS_WEB_PAGE_H

#include "backstitch/base.h"

#ifdef __wasm__
#define PAGE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PAGE_EXPORT(name)
#endif

// watch.html has the enumerators of this header and of page_canvas.h by their names:
// page_names.cmake.

/// Wishes of the user, with an `amount`.
typedef enum page_wished {
    PAGE_WISH_PAUSE = 1,  ///< 1: pause, 0: continue
    PAGE_WISH_STEP = 2,   ///< `amount` ticks on, or back, and pause
    PAGE_WISH_SKIP = 3,   ///< `amount` seconds on, or back
    PAGE_WISH_GO = 4,     ///< to that tick, or the nearest that is there
    PAGE_WISH_LIVE = 5,   ///< to where a running match was a playout ago, and stay there
    PAGE_WISH_SPEED = 6,  ///< two to the power of it: -3..6
    PAGE_WISH_FASTER = 7, ///< that power and `amount`
    PAGE_WISH_TOGGLE = 8, ///< pause or continue, at the end from the beginning on
} page_wished;

/// Results of page_open().
typedef enum page_opened {
    PAGE_OPENED = 0,
    PAGE_TOO_FEW = 1, ///< the bytes end before they say what they are
    PAGE_REFUSED = 2, ///< the recording cannot be played
} page_opened;

/// Indices of page_numbers().
typedef enum page_number {
    PAGE_NUMBER_TICK,      ///< current tick
    PAGE_NUMBER_FIRST,     ///< tick of the recording
    PAGE_NUMBER_END,       ///< one past the last tick that can be played, as far as is known
    PAGE_NUMBER_RATE,      ///< ticks a second
    PAGE_NUMBER_COMPARED,  ///< hashes, each counted once
    PAGE_NUMBER_DIFFERENT, ///< the first tick whose state is not the recorded one, -1: none is
    PAGE_NUMBER_FLAGS,     ///< bits of page_flag
    PAGE_NUMBER_SPEED,     ///< two to the power of it
    PAGE_NUMBER_TARGET,    ///< tick of a seek that has not arrived, -1: none
    PAGE_NUMBERS,
} page_number;

/// State of the player.
typedef enum page_flag {
    PAGE_FLAG_PAUSED = 1,
    PAGE_FLAG_WAITING = 2, ///< all ticks that came are played
    PAGE_FLAG_GROWING = 4, ///< more may come
    PAGE_FLAG_ENDED = 8,
    PAGE_FLAG_FOLLOWING = 16, ///< it follows a growing recording, a playout behind
    PAGE_FLAG_DAMAGED = 32,
    PAGE_FLAG_GUESSED = 64, ///< the place is not confirmed: it has no hash
} page_flag;

/// Texts of page_text().
typedef enum page_said {
    PAGE_SAID_PROBLEM = 0, ///< why it was not opened
    PAGE_SAID_REMARK = 1,  ///< remark about the current tick, "" for none
    PAGE_SAID_ABOUT = 2,   ///< lines of the recording's description: name, tab, value
} page_said;

/// Room for more bytes of the recording, behind those that are here.
/// @param count  how many; page_append() says how many came
/// @return where they go, until the next call; NULL: there is no memory
PAGE_EXPORT(page_room) uint8_t *page_room(size_t count);

/// Bytes were written there.
/// @param count  how many, at most what was asked for
PAGE_EXPORT(page_append) void page_append(size_t count);

/// Open what is here.
/// @param is_fresh  0: it will not be written any more
/// @return a page_opened
PAGE_EXPORT(page_open) int page_open(int is_fresh);

/// Add the bytes appended since to a growing recording that is open.
PAGE_EXPORT(page_refresh) void page_refresh(void);

/// End a growing recording: no more bytes will come.
PAGE_EXPORT(page_finish) void page_finish(void);

/// Take in a wish, a page_wished. For an open recording, as all below.
PAGE_EXPORT(page_wish) void page_wish(int wish, int32_t amount);

/// Play up to a time.
/// @param now_ms  milliseconds of a clock that never goes back
PAGE_EXPORT(page_advance) void page_advance(double now_ms);

/// Draw the present picture.
/// @return a list of shapes (page_canvas.h), valid until the next call
PAGE_EXPORT(page_draw) const uint32_t *page_draw(float width, float height);

/// Length of that list in words.
PAGE_EXPORT(page_words) uint32_t page_words(void);

/// Where the page writes how wide each glyph of its font is, from ' ' to '~', at a size of 1:
/// before the first picture.
PAGE_EXPORT(page_advances) float *page_advances(void);

/// PAGE_NUMBERS numbers, valid until the next call.
PAGE_EXPORT(page_numbers) const int32_t *page_numbers(void);

/// One of page_said, zero-terminated, valid until the next call.
PAGE_EXPORT(page_text) const char *page_text(int which);

#endif
