// SPDX-License-Identifier: MIT

/// @file web_recording.h
/// A recording of duel in memory, and the page's calls as watch.html makes them. There is one page
/// in a process, so each program opens one recording.

#ifndef TEST_WEB_RECORDING_H
#define TEST_WEB_RECORDING_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "page.h"

enum { TICKS = 900, RATE_HZ = 60 };

extern uint8_t *web_bytes; ///< of the recording; web_record() and web_forget() set it
extern size_t web_count;

/// A setup and a teardown of all tests of a program: TICKS ticks of a monkey alone.
int web_record(void **state);
int web_forget(void **state);

/// Append what stands there in the recording.
void web_append(size_t from, size_t until);

/// One of page_numbers().
int32_t web_number(page_number number);

/// Pictures of a page that is asked for sixty a second.
void web_pass(double seconds);

/// Pictures until it has come to where it is to go.
void web_arrive(void);

#endif
