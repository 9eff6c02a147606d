// SPDX-License-Identifier: MIT

#include "replay/format/replay_rollback.h"

#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "replay/format/replay_format.h"

/// Most bytes before the inputs of a rollback: three numbers of at most 5 bytes.
#define HEAD_BYTES_MAX 15u

/// Room in a packer's record in addition to that for the longest rollback, so that several
/// rollbacks can be gathered.
#define GATHERED_BYTES 4096u

bks_status bksi_rollback_packer_create(bksi_rollback_packer *packer, const bksi_run_shape *shape,
                                       uint32_t ticks_max, const bks_allocator *allocator)
{
    packer->shape = shape;
    packer->bytes = 0;
    packer->capacity = BKSI_RECORD_EXTRA_BYTES + GATHERED_BYTES + HEAD_BYTES_MAX +
                       bksi_run_bytes_max(shape, 0, ticks_max);
    packer->record = bksi_alloc(allocator, packer->capacity, 16);
    return packer->record != NULL ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_rollback_packer_destroy(bksi_rollback_packer *packer, const bks_allocator *allocator)
{
    bksi_free(allocator, packer->record, packer->capacity);
    packer->record = NULL;
}

bool bksi_rollback_packer_add(bksi_rollback_packer *packer, bks_tick present, bks_tick from,
                              const uint8_t *inputs)
{
    const bksi_run_shape *shape = packer->shape;
    const uint32_t ticks = (uint32_t)(present - from);
    const size_t room = packer->capacity - BKSI_RECORD_EXTRA_BYTES - packer->bytes;
    if (room < HEAD_BYTES_MAX + bksi_run_bytes_max(shape, 0, ticks)) {
        return false;
    }
    // First write the bits, leaving room for the numbers before them, because one of the numbers is
    // the length of the bits. Then write the numbers, and move the bits up to them.
    uint8_t *at = packer->record + BKSI_RECORD_HEAD_BYTES + packer->bytes;
    bksi_bit_writer bits = bksi_bit_writer_over(at + HEAD_BYTES_MAX, room - HEAD_BYTES_MAX);
    const size_t tick_bytes = bksi_run_tick_bytes(shape);
    for (uint32_t i = 0; i < ticks; i++) {
        const uint8_t *now = inputs + i * tick_bytes;
        bksi_run_write_inputs(&bits, shape, i > 0 ? now - tick_bytes : NULL, now);
    }
    const size_t input_bytes = bksi_bit_writer_bytes(&bits);
    bksi_byte_writer writer = bksi_byte_writer_over(at, HEAD_BYTES_MAX);
    bksi_write_varint(&writer, (uint32_t)present);
    bksi_write_varint(&writer, ticks);
    bksi_write_varint(&writer, input_bytes);
    memmove(at + writer.at, at + HEAD_BYTES_MAX, input_bytes);
    packer->bytes += writer.at + input_bytes;
    return true;
}

bksi_run bksi_rollback_run(const bksi_rollback *rollback)
{
    return (bksi_run){.first = rollback->from,
                      .used = (uint32_t)(rollback->present - rollback->from),
                      .inputs = rollback->inputs,
                      .input_bytes = rollback->input_bytes};
}

bool bksi_rollback_read(bksi_rollback *rollback, const bksi_run_shape *shape, const uint8_t *bytes,
                        size_t count, size_t at)
{
    memset(rollback, 0, sizeof(*rollback));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes + at, count - at);
    const uint64_t present = bksi_read_varint(&reader);
    const uint64_t ticks = bksi_read_varint(&reader);
    const uint64_t input_bytes = bksi_read_varint(&reader);
    if (reader.failed || present > INT32_MAX || ticks < 1 || ticks > BKSI_ROLLBACK_TICKS_MAX ||
        ticks > present || input_bytes > bksi_byte_reader_left(&reader)) {
        return false;
    }
    rollback->present = (bks_tick)present;
    rollback->from = (bks_tick)(present - ticks);
    rollback->input_bytes = (size_t)input_bytes;
    rollback->inputs = bksi_read_bytes(&reader, rollback->input_bytes);
    rollback->end = at + reader.at;
    const bksi_run run = bksi_rollback_run(rollback);
    const bksi_tick_arrays nowhere = {0};
    return bksi_run_unpack(shape, &run, &nowhere);
}
