// SPDX-License-Identifier: MIT

/// @file json.h
/// Writes one JSON object to a stream.
///
///     json out;
///     json_begin(&out, stdout);
///     json_text(&out, "game", "duel");
///     json_array(&out, "peers");
///     json_object(&out, NULL);
///     json_int(&out, "id", 0);
///     json_close(&out);
///     json_close(&out);
///     const bool is_written = json_end(&out);

#ifndef BKS_TOOL_JSON_H
#define BKS_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "backstitch/base.h"

/// Deepest nesting of objects and arrays.
#define JSON_DEPTH_MAX 16

/// A JSON text being written. Change it only through the functions.
typedef struct json {
    FILE *out;                        ///< stream that receives the JSON
    uint32_t depth;                   ///< number of open objects and arrays
    bool has_items[JSON_DEPTH_MAX];   ///< for each depth: true if it has an item
    bool is_array[JSON_DEPTH_MAX];    ///< for each depth: true for an array, false for an object
    bool is_one_line[JSON_DEPTH_MAX]; ///< for each depth: true if the items stand on one line
} json;

/// Begin a JSON text and open its outermost object.
/// @param out  borrowed until json_end()
void json_begin(json *j, FILE *out);

/// Close the outermost object.
/// @return true if the whole text was written
bool json_end(json *j);

/// Open an object. Inside an array, `key` is NULL, for this function and all others.
void json_object(json *j, const char *key);
/// Open an array inside the innermost object or array.
void json_array(json *j, const char *key);
/// Open an array whose items stand on one line. Used for arrays of numbers.
void json_row(json *j, const char *key);
/// Close the innermost open object or array.
void json_close(json *j);

void json_int(json *j, const char *key, int64_t value);
void json_uint(json *j, const char *key, uint64_t value);
/// Write a number with at most `decimals` decimals and no trailing zeros, or null if it is not
/// finite.
void json_number(json *j, const char *key, double value, int decimals);
void json_bool(json *j, const char *key, bool value);
/// Write an escaped text. Bytes that are not UTF-8 become U+FFFD. NULL writes null.
void json_text(json *j, const char *key, const char *value);
/// Write an escaped text, or null if it is empty.
void json_nonempty(json *j, const char *key, const char *value);
/// Write a hash as 16 hex digits in quotes.
void json_hash(json *j, const char *key, uint64_t value);
/// Write a hash as json_hash() does, or null if it is not known.
void json_hash_if(json *j, const char *key, bool is_known, uint64_t value);
void json_null(json *j, const char *key);
/// Write a tick, or null for BKS_TICK_NONE.
void json_tick(json *j, const char *key, bks_tick tick);

#endif
