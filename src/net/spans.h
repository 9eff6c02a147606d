// SPDX-License-Identifier: MIT

/// @file spans.h
/// A set of places in a stream, kept as few spans in order. Its size is fixed: what would need one
/// span more is refused, and nothing changes.

#ifndef BKSI_SPANS_H
#define BKSI_SPANS_H

#include "backstitch/base.h"

#define BKSI_SPANS_MAX 64u

/// Bytes from `begin` to before `end`.
typedef struct bksi_span {
    uint64_t begin;
    uint64_t end;
} bksi_span;

/// In order; between two of them something is missing.
typedef struct bksi_spans {
    uint32_t count;
    bksi_span spans[BKSI_SPANS_MAX];
} bksi_spans;

/// Add bytes; those that are there already may be among them. Nothing is added when there are none.
/// @return false when there is no room for one span more
bool bksi_spans_add(bksi_spans *spans, uint64_t begin, uint64_t end);

/// Take bytes out, if they are there.
/// @return false when there is no room for one span more
bool bksi_spans_remove(bksi_spans *spans, uint64_t begin, uint64_t end);

/// Whether all of these bytes are there.
bool bksi_spans_has(const bksi_spans *spans, uint64_t begin, uint64_t end);

#endif
