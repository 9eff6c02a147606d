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

#endif
