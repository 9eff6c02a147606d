// SPDX-License-Identifier: MIT

/// @file assert.h
/// Asserts guard what only our own code can break. Arguments of public calls and bytes from a
/// network or a file are checked in every build instead.

#ifndef BKSI_ASSERT_H
#define BKSI_ASSERT_H

#include "backstitch/base.h"

#ifndef NDEBUG
/// Stop the program when `condition` is false. One condition each.
#define BKS_ASSERT(condition) \
    ((condition) ? (void)0 : bksi_assert_failed(#condition, __FILE__, __LINE__))
#else
#define BKS_ASSERT(condition) ((void)sizeof(condition))
#endif

/// Log the failed assert and abort.
_Noreturn void bksi_assert_failed(const char *condition, const char *file, int line);

#endif
