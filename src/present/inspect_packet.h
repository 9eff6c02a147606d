// SPDX-License-Identifier: MIT

/// @file inspect_packet.h
/// Requests and answers of the inspector as bytes (docs/spec/inspect.md).

#ifndef BKSI_INSPECT_PACKET_H
#define BKSI_INSPECT_PACKET_H

#include "backstitch/toolkit/inspector.h"
#include "backstitch/toolkit/state_map.h"

#include "base/bytes.h"

/// Read a request.
/// @return false: it is none
bool bksi_inspect_read_request(const void *bytes, size_t count, bks_inspect_request *out);

/// Write an answer's head; then its parts, by status and kind; then zeros up to the end.
void bksi_inspect_write_head(bksi_byte_writer *writer, const bks_inspect_request *request,
                             bks_inspect_status status);
void bksi_inspect_write_summary(bksi_byte_writer *writer, const bks_inspect_summary *summary);
void bksi_inspect_write_figure(bksi_byte_writer *writer, const bks_figure *figure);
void bksi_inspect_write_part(bksi_byte_writer *writer, const bks_memory_part *part);

#endif
