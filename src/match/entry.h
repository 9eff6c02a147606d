// SPDX-License-Identifier: MIT

/// @file entry.h
/// Entry into a match: one call at a time. A call that comes while another has not returned is
/// refused, whether it comes from another thread, or out of a callback of that call.

#ifndef BKSI_ENTRY_H
#define BKSI_ENTRY_H

#include <stdatomic.h>

#include "backstitch/match.h"

typedef struct bksi_entry {
    atomic_intmax_t thread; ///< number of the thread that is in a call; 0: none is
    const char *call;       ///< name of that call, for its own thread
} bksi_entry;

/// Begin a call; bksi_entry_end() ends it.
/// @param call  name of the public call, static
/// @return BKS_OK, or BKS_ERR_BAD_ARGUMENT if a thread, maybe this one, is in a call already
bks_status bksi_entry_begin(bksi_entry *entry, const char *call);
void bksi_entry_end(bksi_entry *entry);

/// Get the entry of a match.
bksi_entry *bksi_match_entry(bks_match *match);

#endif
