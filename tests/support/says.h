// SPDX-License-Identifier: MIT

/// @file says.h
/// A check that a text contains a phrase.

#ifndef TEST_SAYS_H
#define TEST_SAYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", text, part);
    }
}

#endif
