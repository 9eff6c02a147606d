// SPDX-License-Identifier: MIT

/// @file tuning.h
/// How a match plays: how far it predicts, how late inputs are, what an update may cost, how long
/// it waits for a silent peer. The configs of a session, a match and a lab hold one bks_tuning
/// each, with the same defaults and the same ranges.
///
///     bks_match_config config = bks_match_config_default();
///     config.tuning.window_ticks = 8;
///     config.tuning.delay_ticks = 2;              // BKS_AUTO: the session chooses
///
/// [INVERSUS] is a source, listed in docs/sources.md.
///
/// Thread rule: plain data.

#ifndef BACKSTITCH_TUNING_H
#define BACKSTITCH_TUNING_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most ticks the game may run ahead of confirmed input.
#define BKS_WINDOW_MAX 64

/// Most ticks between sampling an input and simulating it.
#define BKS_DELAY_MAX 255

/// Most hashed ticks whose states are kept until all peers agree on them.
#define BKS_KEEP_TICKS_MAX 256

/// Most bytes of a stream beside the match that are on their way or not read yet.
#define BKS_BULK_BYTES_MAX 268435456

/// Which ticks are kept as snapshots.
typedef enum bks_save_policy {
    BKS_SAVE_EVERY = 0, ///< every tick, in window + 2 snapshot slots
    BKS_SAVE_TWO = 1,   ///< two snapshots; the older is overwritten when the newer is window ticks
                        ///< old [INVERSUS]
    BKS_SAVE_ONE = 2,   ///< one snapshot, window ticks old, loaded in every update: a constant cost
                        ///< [INVERSUS]
    BKS_SAVE_AUTO = 3, ///< at the spacing that makes the longest update shortest, from the measured
                       ///< costs of operations; like BKS_SAVE_TWO until those are known
} bks_save_policy;

/// How a peer that runs ahead of the others lets them catch up.
typedef enum bks_pace {
    BKS_PACE_SLEW = 0,  ///< makes ticks up to 2 % longer, too little to see
    BKS_PACE_STALL = 1, ///< skips single ticks, for screens tied to the tick rate [INVERSUS]
    BKS_PACE_NONE = 2,  ///< does nothing
} bks_pace;

/// What a match does once peers' states were found to differ (BKS_EVENT_DESYNC).
typedef enum bks_on_desync {
    BKS_ON_DESYNC_REPORT = 0, ///< plays on; an update says BKS_ERR_DESYNC at the end
    BKS_ON_DESYNC_STOP = 1,   ///< ends for all at the same tick, which BKS_EVENT_STOPPING says
    BKS_ON_DESYNC_RESYNC = 2, ///< plays on; the peers whose states differ get what differs from
                              ///< the others (BKS_EVENT_REPAIRED). A third repair within a minute,
                              ///< or one that fails: as BKS_ON_DESYNC_STOP. Not for a game whose
                              ///< state holds raw pointers, or whose save, load and save again
                              ///< give different bytes, or whose state may take more than 4 MiB
                              ///< and has no hashes of pages (the game has its own `hash`), or
                              ///< more than 256 MiB: create and open refuse it
} bks_on_desync;

/// How a match plays. Start from bks_tuning_default(), which every config's defaults call: 0 is a
/// real value here (window 0 is lockstep; with delay 0 an input acts in the tick that is due when
/// it is sampled). If a value is out of range, the error names the field, such as "tuning.pace".
typedef struct bks_tuning {
    uint32_t window_ticks;     ///< prediction window, 0..BKS_WINDOW_MAX, default 20; 0 is lockstep
    uint32_t delay_ticks;      ///< input delay, 0..BKS_DELAY_MAX; BKS_AUTO (default): up to 67 ms,
                               ///< rising with the worst lag; more in lockstep and where the
                               ///< window is shorter than the lag
    bks_pace pace;             ///< default BKS_PACE_SLEW
    bks_save_policy save;      ///< default BKS_SAVE_AUTO
    uint32_t budget_us;        ///< most that the longest update may take, 1..1000000; 0: no limit;
                               ///< BKS_AUTO (default): three quarters of a tick. If it would take
                               ///< more and delay_ticks is BKS_AUTO, the delay rises, to 8 at
                               ///< most; if that is not enough, ticks become up to four times as
                               ///< long, on all peers
    uint32_t hash_every_ticks; ///< ticks from one compared state hash to the next, 1..1000;
                               ///< BKS_AUTO (default): 1 with a window, one second of ticks in
                               ///< lockstep. All peers use the host's value
    uint32_t keep_ticks;       ///< how many hashed ticks a state is kept at most until all peers
                               ///< agree on its hash, 0..BKS_KEEP_TICKS_MAX, default 64; 0: none
                               ///< is, and a difference gets no name; with BKS_ON_DESYNC_RESYNC at
                               ///< least 1. A game that keeps its state itself saves at each hash
                               ///< for it
    bks_on_desync on_desync;   ///< default BKS_ON_DESYNC_REPORT. All peers use the host's value
    uint32_t notify_after_ms;  ///< silence before BKS_EVENT_SILENT, 100..60000, default 1000
    uint32_t drop_after_ms;    ///< silence before the others play on without a peer,
                               ///< notify_after_ms..600000, default 5000
    uint32_t bulk_bytes;       ///< buffer of each stream of bytes beside the match, one to and one
                               ///< from each of 7 peers, 1024..BKS_BULK_BYTES_MAX; 0 (default): no
                               ///< streams. See bks_session_bulk_write()
} bks_tuning;

/// Defaults for every field.
BKS_API bks_tuning bks_tuning_default(void);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_TUNING_H
