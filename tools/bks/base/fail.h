// SPDX-License-Identifier: MIT

/// @file fail.h
/// Filling a bks_error, as the library does.

#ifndef BKS_TOOL_FAIL_H
#define BKS_TOOL_FAIL_H

#include "backstitch/base.h"

/// Fail with a sentence that names the value and the range.
/// @param error  may be NULL
/// @return code
bks_status fail_with(bks_error *error, bks_status code, const char *format, ...) BKS_PRINTF(3, 4);

/// The same for bytes: the sentence ends with " at byte OFFSET".
bks_status fail_at(bks_error *error, bks_status code, uint64_t offset_bytes, const char *format,
                   ...) BKS_PRINTF(4, 5);

#endif
