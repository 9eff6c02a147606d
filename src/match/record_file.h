// SPDX-License-Identifier: MIT

/// @file record_file.h
/// Reading of a whole file. Writing is public, in toolkit/writer.h.

#ifndef BKSI_RECORD_FILE_H
#define BKSI_RECORD_FILE_H

#include "backstitch/record.h"

/// Read a whole file.
/// @param field  config field that names the file, for errors
/// @param out    receives `out_count` bytes of memory from the allocator; NULL on failure
/// @return BKS_OK, BKS_ERR_IO, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_record_file_read(const char *path, const char *field,
                                 const bks_allocator *allocator, uint8_t **out, size_t *out_count,
                                 bks_error *error);

#endif
