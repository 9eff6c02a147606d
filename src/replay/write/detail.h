// SPDX-License-Identifier: MIT

/// @file detail.h
/// Which details a recording can hold: one check for a writer's config, and for the configs that
/// hand a detail on to a writer later.

#ifndef BKSI_DETAIL_H
#define BKSI_DETAIL_H

#include "backstitch/record.h"

/// Check a detail.
/// @param game             checked before
/// @param state_bytes_max  most bytes of a state; 0: not known yet, so page_hashes may be true
/// @param is_recorded      the config names it `record_detail`, otherwise `detail`
/// @param call             the id of the log line
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field and the range)
bks_status bksi_detail_check(const bks_replay_detail *detail, const bks_game *game,
                             size_t state_bytes_max, bool is_recorded, const char *call,
                             bks_error *error);

/// The same for a config whose `record_detail` goes to a writer once the match starts. The size of
/// a state is known as far as the game says it.
bks_status bksi_record_detail_check(const bks_replay_detail *detail, const bks_game *game,
                                    const char *call, bks_error *error);

#endif
