// SPDX-License-Identifier: MIT

/// @file identity_file.h
/// Secret by which a player is recognised after a restart: 32 random bytes in a file, which is made
/// if it is missing. Peers see a value derived from the secret, which differs in each match. A
/// match locks its file; another match on the same machine takes the next file, PATH.2 and so on.

#ifndef BKSI_IDENTITY_FILE_H
#define BKSI_IDENTITY_FILE_H

#include "backstitch/session.h"

/// Maximum number of matches that use one path at the same time.
#define BKSI_IDENTITY_FILES_MAX 16

typedef struct bksi_identity_file {
    int descriptor; ///< descriptor of the locked file; -1: none
} bksi_identity_file;

/// Lock the first file that no other match uses, and read its secret.
/// @param path   NULL: use no file and draw a random secret
/// @param key    key of the match
/// @param out    receives the secret for this match
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (the path is too long), BKS_ERR_IO, BKS_ERR_DAMAGED (the file
///         has another size); error names identity_path
bks_status bksi_identity_file_open(bksi_identity_file *file, const char *path,
                                   const uint8_t key[BKS_KEY_BYTES], uint8_t out[BKS_KEY_BYTES],
                                   bks_error *error);

/// Close the file and release its lock. Closing twice is allowed.
void bksi_identity_file_close(bksi_identity_file *file);

#endif
