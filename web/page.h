// SPDX-License-Identifier: MIT

/// @file page.h
/// Interface between watch.wasm and watch.html, to play one recording. The page appends bytes as
/// they arrive, and opens them. For each picture, it calls page_advance() and page_draw(), and
/// passes wishes of the user between pictures.
///
/// watch.wasm asks the page for a clock and, if the library needs it, for entropy
/// (wasi_snapshot_preview1).

#ifndef BKS_WEB_PAGE_H
#define BKS_WEB_PAGE_H

#include "backstitch/base.h"

#ifdef __wasm__
#define PAGE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PAGE_EXPORT(name)
#endif

// page_names.cmake passes the enumerators of this header and of page_canvas.h to watch.html by
// their names.

/// Wishes of the user, with an `amount`.
typedef enum page_wished {
    PAGE_WISH_PAUSE = 1,  ///< 1: pause, 0: continue
    PAGE_WISH_STEP = 2,   ///< go `amount` ticks forwards or backwards, and pause
    PAGE_WISH_SKIP = 3,   ///< go `amount` seconds forwards or backwards
    PAGE_WISH_GO = 4,     ///< go to the tick `amount`, or the nearest one that can be played
    PAGE_WISH_LIVE = 5,   ///< go to the tick that is due in a running match, and follow it
    PAGE_WISH_SPEED = 6,  ///< set the speed to two to the power of `amount`, -3..6
    PAGE_WISH_FASTER = 7, ///< add `amount` to that power
    PAGE_WISH_TOGGLE = 8, ///< pause or continue; at the end, play from the beginning
} page_wished;

/// Results of page_open().
typedef enum page_opened {
    PAGE_OPENED = 0,
    PAGE_TOO_FEW = 1, ///< the bytes end before the recording's description
    PAGE_REFUSED = 2, ///< the recording cannot be played
} page_opened;

/// Indices of page_numbers().
typedef enum page_number {
    PAGE_NUMBER_TICK,      ///< current tick
    PAGE_NUMBER_FIRST,     ///< first tick of the recording
    PAGE_NUMBER_END,       ///< one past the last tick known to be playable
    PAGE_NUMBER_RATE,      ///< ticks a second
    PAGE_NUMBER_COMPARED,  ///< number of hashes compared, each counted once
    PAGE_NUMBER_DIFFERENT, ///< first tick whose state differs from the recorded one, -1: none
    PAGE_NUMBER_FLAGS,     ///< bits of page_flag
    PAGE_NUMBER_SPEED,     ///< speed as a power of two
    PAGE_NUMBER_TARGET,    ///< target tick of a seek, -1: it is reached
    PAGE_NUMBER_MISSES,    ///< number of times that a due tick of a running match was not there
    PAGE_NUMBERS,
} page_number;

/// State of the player.
typedef enum page_flag {
    PAGE_FLAG_PAUSED = 1,
    PAGE_FLAG_WAITING = 2, ///< all ticks received so far are played
    PAGE_FLAG_GROWING = 4, ///< more may come
    PAGE_FLAG_ENDED = 8,
    PAGE_FLAG_FOLLOWING = 16, ///< the player plays a running match when its ticks are due
    PAGE_FLAG_DAMAGED = 32,
    PAGE_FLAG_GUESSED = 64, ///< the current tick is not confirmed: it has no hash
} page_flag;

/// Texts of page_text().
typedef enum page_said {
    PAGE_SAID_PROBLEM = 0, ///< why the recording was not opened
    PAGE_SAID_REMARK = 1,  ///< remark about the current tick, "" for none
    PAGE_SAID_ABOUT = 2,   ///< lines of the recording's description: name, tab, value
} page_said;

/// Get room for more bytes of the recording.
/// @param count  number of bytes; page_append() confirms them
/// @return address to write them to, valid until the next call; NULL if memory ran out
PAGE_EXPORT(page_room) uint8_t *page_room(size_t count);

/// Append the bytes that the page has written to page_room().
/// @param count  number of bytes, at most those of page_room()
PAGE_EXPORT(page_append) void page_append(size_t count);

/// Open the bytes received so far as a recording.
/// @param is_fresh  0: the recording is not being written any more
/// @return a page_opened
PAGE_EXPORT(page_open) int page_open(int is_fresh);

/// Add the newly appended bytes to a growing recording that is open.
PAGE_EXPORT(page_refresh) void page_refresh(void);

/// End a growing recording: no more bytes will come.
PAGE_EXPORT(page_finish) void page_finish(void);

/// Handle a page_wished of the user. This function and all below need an open recording.
PAGE_EXPORT(page_wish) void page_wish(int wish, int32_t amount);

/// Play up to a time.
/// @param now_ms  time of a clock that never goes back, in ms
PAGE_EXPORT(page_advance) void page_advance(double now_ms);

/// Draw the picture of the current tick.
/// @return a list of shapes (page_canvas.h), valid until the next call
PAGE_EXPORT(page_draw) const uint32_t *page_draw(float width, float height);

/// Return the number of words in the list of page_draw().
PAGE_EXPORT(page_words) uint32_t page_words(void);

/// Return the array of glyph widths, from ' ' to '~', at a text size of 1. The page fills it in
/// before the first picture.
PAGE_EXPORT(page_advances) float *page_advances(void);

/// Return PAGE_NUMBERS numbers, indexed by page_number, valid until the next call.
PAGE_EXPORT(page_numbers) const int32_t *page_numbers(void);

/// Return a text, named by a page_said, zero-terminated and valid until the next call.
PAGE_EXPORT(page_text) const char *page_text(int which);

#endif
