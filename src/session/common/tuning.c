// SPDX-License-Identifier: MIT

#include "session/common/tuning.h"

#include "base/report.h"
#include "wire/bulk_message.h"
#include "wire/roster.h"

/// A part of a stream fits.
#define BULK_BYTES_MIN 1024

_Static_assert(BKS_BULK_BYTES_MAX <= BKSI_BULK_WINDOW_MAX, "a message can offer it");

bks_tuning bks_tuning_default(void)
{
    return (bks_tuning){
        .window_ticks = 20,
        .delay_ticks = BKS_AUTO,
        .pace = BKS_PACE_SLEW,
        .save = BKS_SAVE_AUTO,
        .budget_us = BKS_AUTO,
        .hash_every_ticks = BKS_AUTO,
        .keep_ticks = 64,
        .on_desync = BKS_ON_DESYNC_REPORT,
        .notify_after_ms = 1000,
        .drop_after_ms = 5000,
    };
}

/// One field of a tuning, and what it may hold.
typedef struct limits {
    const char *field; ///< as a config's field, "tuning." and its name
    uint32_t value;
    uint32_t least;
    uint32_t greatest;
    bool may_be_auto;
} limits;

bks_status bksi_tuning_check(const bks_tuning *tuning, const char *call, bks_error *error)
{
    const limits all[] = {
        {"tuning.window_ticks", tuning->window_ticks, 0, BKS_WINDOW_MAX, false},
        {"tuning.delay_ticks", tuning->delay_ticks, 0, BKS_DELAY_MAX, true},
        {"tuning.pace", (uint32_t)tuning->pace, BKS_PACE_SLEW, BKS_PACE_NONE, false},
        {"tuning.save", (uint32_t)tuning->save, BKS_SAVE_EVERY, BKS_SAVE_AUTO, false},
        {"tuning.budget_us", tuning->budget_us, 0, 1000000, true},
        {"tuning.hash_every_ticks", tuning->hash_every_ticks, 1, BKSI_HASH_EVERY_TICKS_MAX, true},
        {"tuning.keep_ticks", tuning->keep_ticks, 0, BKS_KEEP_TICKS_MAX, false},
        {"tuning.on_desync", (uint32_t)tuning->on_desync, BKS_ON_DESYNC_REPORT,
         BKS_ON_DESYNC_RESYNC, false},
        {"tuning.notify_after_ms", tuning->notify_after_ms, 100, 60000, false},
        {"tuning.drop_after_ms", tuning->drop_after_ms, tuning->notify_after_ms, 600000, false},
        {"tuning.bulk_bytes", tuning->bulk_bytes, tuning->bulk_bytes == 0 ? 0 : BULK_BYTES_MIN,
         BKS_BULK_BYTES_MAX, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const limits *it = &all[i];
        const bool is_auto = it->may_be_auto && it->value == BKS_AUTO;
        if (!is_auto && (it->value < it->least || it->value > it->greatest)) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, it->field,
                             "%s is %u, must be %u..%u%s", it->field, (unsigned)it->value,
                             (unsigned)it->least, (unsigned)it->greatest,
                             it->may_be_auto ? " or BKS_AUTO" : "");
        }
    }
    if (tuning->on_desync == BKS_ON_DESYNC_RESYNC && tuning->keep_ticks == 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "tuning.keep_ticks",
                         "tuning.keep_ticks is 0, must be 1..%u where on_desync is resync: what is "
                         "not kept cannot be repaired",
                         (unsigned)BKS_KEEP_TICKS_MAX);
    }
    return BKS_OK;
}
