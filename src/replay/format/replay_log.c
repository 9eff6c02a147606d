// SPDX-License-Identifier: MIT

#include "replay/format/replay_log.h"

const char *bks_entry_kind_name(bks_entry_kind kind)
{
    static const char *const names[] = {
        [BKS_ENTRY_UPDATE] = "update",     [BKS_ENTRY_SAMPLED] = "sampled",
        [BKS_ENTRY_SENT] = "sent",         [BKS_ENTRY_CAME] = "came",
        [BKS_ENTRY_INPUTS] = "inputs",     [BKS_ENTRY_WRONG] = "wrong",
        [BKS_ENTRY_ROLLBACK] = "rollback", [BKS_ENTRY_LOAD] = "load",
        [BKS_ENTRY_SAVE] = "save",         [BKS_ENTRY_STEP] = "step",
        [BKS_ENTRY_HASH] = "hash",         [BKS_ENTRY_DELAY] = "delay",
        [BKS_ENTRY_EVENT] = "event",
    };
    return (uint32_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

void bksi_log_write_head(bksi_byte_writer *writer, uint64_t time_us, uint32_t count)
{
    bksi_write_varint(writer, time_us);
    bksi_write_varint(writer, count);
}

void bksi_log_write(bksi_byte_writer *writer, bksi_log_cursor *cursor, const bks_log_entry *entry)
{
    const uint32_t moved = (uint32_t)entry->tick - (uint32_t)cursor->tick;
    bksi_write_u8(writer, (uint8_t)entry->kind);
    bksi_write_u8(writer, (uint8_t)entry->number);
    bksi_write_u8(writer, (uint8_t)entry->reason);
    bksi_write_varint(writer, entry->time_us - cursor->time_us);
    bksi_write_varint(writer, moved >> 31 != 0 ? ~(moved << 1) : moved << 1);
    bksi_write_varint(writer, entry->value);
    *cursor = (bksi_log_cursor){entry->time_us, entry->tick};
}

bool bksi_log_read(bksi_log_cursor *cursor, uint32_t *out_count, bksi_packed *content,
                   const uint8_t *bytes, size_t count)
{
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    *cursor = (bksi_log_cursor){.time_us = bksi_read_varint(&reader)};
    const uint64_t entries = bksi_read_varint(&reader);
    if (reader.failed || entries < 1 || entries > BKSI_LOG_BYTES_MAX ||
        !bksi_packed_read(content, &reader, BKSI_LOG_BYTES_MAX)) {
        return false;
    }
    *out_count = (uint32_t)entries;
    return entries <= content->bytes / BKSI_LOG_ENTRY_BYTES_MIN;
}

bool bksi_log_next(bksi_byte_reader *content, bksi_log_cursor *cursor, bks_log_entry *entry)
{
    *entry = (bks_log_entry){.kind = (bks_entry_kind)bksi_read_u8(content)};
    entry->number = bksi_read_u8(content);
    entry->reason = bksi_read_u8(content);
    const uint64_t later_us = bksi_read_varint(content);
    const uint64_t moved = bksi_read_varint(content);
    const uint64_t value = bksi_read_varint(content);
    if (content->failed || moved > UINT32_MAX || value > UINT32_MAX ||
        later_us > UINT64_MAX - cursor->time_us) {
        return false;
    }
    const uint32_t by = (uint32_t)moved >> 1;
    const uint32_t tick = (uint32_t)cursor->tick + ((moved & 1) != 0 ? ~by : by);
    cursor->time_us += later_us;
    cursor->tick = (bks_tick)tick;
    entry->time_us = cursor->time_us;
    entry->tick = cursor->tick;
    entry->value = (uint32_t)value;
    return true;
}
