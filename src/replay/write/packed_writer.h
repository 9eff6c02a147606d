// SPDX-License-Identifier: MIT

/// @file packed_writer.h
/// The writer for a caller that has inputs packed by the game's layout, as a session does. It keeps
/// them, so that nothing of an unchanged tick is passed, packed or written twice:
///
///     if (!bksi_writer_is_used(writer, tick, packed)) {
///         bksi_writer_use(writer, tick, packed);
///         bksi_writer_commit(writer);
///     }
///     step the tick
///
/// After a failed write every call returns BKS_ERR_IO.

#ifndef BKSI_PACKED_WRITER_H
#define BKSI_PACKED_WRITER_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"

/// Whether this is what a tick was used with last.
/// @param tick    the first unconfirmed one or later
/// @param packed  players * layout->bytes, as everywhere here
bool bksi_writer_is_used(const bks_replay_writer *writer, bks_tick tick, const uint8_t *packed);

/// Say what a tick is about to be stepped with. Nothing is written yet.
/// @param tick  the first unconfirmed one, up to one past the newest tick that was used; less than
///              unconfirmed_ticks_max behind the first
void bksi_writer_use(bks_replay_writer *writer, bks_tick tick, const uint8_t *packed);

/// Write what was passed since.
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_commit(bks_replay_writer *writer);

/// A rollback, before the ticks are used anew: those before `present` had been used with guesses,
/// from the unconfirmed tick `from` on. @see bks_replay_writer_rollback()
/// @param present  up to one past the newest tick that was used
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_keep_rollback(bks_replay_writer *writer, bks_tick present, bks_tick from);

/// The first unconfirmed tick is final. @see bks_replay_writer_confirm()
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_confirm(bks_replay_writer *writer, const uint8_t *packed,
                               const uint64_t *hash);

/// States differed: what is known of a peer, or a piece of the log, as a record.
/// @param record  the payload lies BKSI_RECORD_HEAD_BYTES behind it, and there is room for a check
/// @return BKS_OK, BKS_ERR_IO
bks_status bksi_writer_append_evidence(bks_replay_writer *writer, uint8_t *record,
                                       size_t payload_bytes);
bks_status bksi_writer_append_log(bks_replay_writer *writer, uint8_t *record, size_t payload_bytes);

/// Check which details a recording is to hold, for a writer or for a config that hands them on to
/// a writer later.
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
