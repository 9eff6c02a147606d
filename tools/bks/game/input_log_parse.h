// SPDX-License-Identifier: MIT

/// @file input_log_parse.h
/// The text of an input log becomes a table.

#ifndef BKS_TOOL_INPUT_LOG_PARSE_H
#define BKS_TOOL_INPUT_LOG_PARSE_H

#include "backstitch/game.h"

/// Most bytes of text, unpacked.
#define INPUT_LOG_BYTES_MAX (1024u * 1024u * 1024u)

/// A table in memory. Opaque.
typedef struct input_log input_log;

/// Read a table from text.
/// @param bytes  not NULL when count is above 0
/// @param out    receives the table, NULL on failure
/// @param error  names the line, and the offset into `bytes`; may be NULL
/// @return BKS_OK, BKS_ERR_DAMAGED, BKS_ERR_INCOMPLETE (the last line is cut), BKS_ERR_UNSUPPORTED
/// (a
///         stream of commands, or larger than any match), BKS_ERR_OUT_OF_MEMORY
/// Owned by the caller; release with input_log_free().
BKS_NODISCARD bks_status input_log_parse(const void *bytes, size_t count, input_log **out,
                                         bks_error *error);

/// Release a table. NULL is allowed.
void input_log_free(input_log *table);

#endif
