// SPDX-License-Identifier: MIT

#include "replay/format/replay_fact.h"

#include "base/bytes.h"

bool bksi_fact_read(bksi_fact_place *fact, const bksi_record *record)
{
    if (record->payload_bytes <= BKSI_FACT_HEAD_BYTES ||
        record->payload_bytes > BKSI_FACT_HEAD_BYTES + BKS_ANSWER_BYTES_MAX) {
        return false;
    }
    const uint32_t tick = bksi_get_u32(record->payload);
    *fact = (bksi_fact_place){
        .offset = record->offset + BKSI_RECORD_HEAD_BYTES + BKSI_FACT_HEAD_BYTES,
        .tick = (bks_tick)tick,
        .question = bksi_get_u32(record->payload + 4),
        .count = (uint32_t)(record->payload_bytes - BKSI_FACT_HEAD_BYTES),
    };
    return tick <= INT32_MAX;
}
