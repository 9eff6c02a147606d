// SPDX-License-Identifier: MIT

#include "wire/mesh_messages.h"

#define PEER_BITS     3u
#define DISTANCE_BITS 6u

static uint32_t zigzag(int32_t value)
{
    return value >= 0 ? (uint32_t)value << 1 : ((uint32_t)(-(int64_t)value) << 1) - 1;
}

static int64_t unzigzag(uint32_t value)
{
    return (value & 1) != 0 ? -((int64_t)(value >> 1) + 1) : (int64_t)(value >> 1);
}

bool bksi_mesh_part_is_plain(uint32_t others, const bksi_mesh_part *part)
{
    for (uint32_t left = others; left != 0; left &= left - 1) {
        const bksi_mesh_other *other = &part->others[bksi_lowest_bit(left)];
        if (!other->is_fine || other->has_heartbeat) {
            return false;
        }
    }
    return part->view == 0 && part->complete == 0;
}

void bksi_mesh_part_plain(uint32_t others, bksi_mesh_part *part)
{
    *part = (bksi_mesh_part){0};
    for (uint32_t left = others; left != 0; left &= left - 1) {
        part->others[bksi_lowest_bit(left)].is_fine = true;
    }
}

static void write_other(bksi_bit_writer *writer, bks_tick head, const bksi_mesh_other *other)
{
    bksi_write_bits(writer, other->is_fine ? 1 : 0, 1);
    if (!other->is_fine) {
        bksi_write_small(writer, zigzag(head - other->need), DISTANCE_BITS);
    }
    bksi_write_bits(writer, other->has_heartbeat ? 1 : 0, 1);
    if (other->has_heartbeat) {
        bksi_write_bits(writer, other->heartbeat, BKSI_HEARTBEAT_BITS);
    }
}

void bksi_mesh_part_write(bksi_bit_writer *writer, uint32_t others, bks_tick head,
                          const bksi_mesh_part *part)
{
    bksi_write_bits(writer, part->view, PEER_BITS);
    if (part->view > 0) {
        bksi_write_bits(writer, part->view_hash, 32);
    }
    bksi_write_bits(writer, part->heartbeat, BKSI_HEARTBEAT_BITS);
    bksi_write_bits(writer, part->complete != 0 ? 1 : 0, 1);
    if (part->complete != 0) {
        bksi_write_bits(writer, part->complete, BKS_PEERS_MAX);
    }
    for (uint32_t left = others; left != 0; left &= left - 1) {
        write_other(writer, head, &part->others[bksi_lowest_bit(left)]);
    }
}

static bool read_other(bksi_bit_reader *reader, bks_tick head, bksi_mesh_other *other)
{
    *other = (bksi_mesh_other){.is_fine = bksi_read_bits(reader, 1) != 0};
    if (!other->is_fine) {
        int64_t need = head - unzigzag(bksi_read_small(reader, DISTANCE_BITS));
        if (need < 0 || need > INT32_MAX) {
            return false;
        }
        other->need = (bks_tick)need;
    }
    other->has_heartbeat = bksi_read_bits(reader, 1) != 0;
    if (other->has_heartbeat) {
        other->heartbeat = (uint32_t)bksi_read_bits(reader, BKSI_HEARTBEAT_BITS);
    }
    return true;
}

bool bksi_mesh_part_read(bksi_bit_reader *reader, uint32_t others, bks_tick head,
                         bksi_mesh_part *part)
{
    *part = (bksi_mesh_part){0};
    part->view = (uint32_t)bksi_read_bits(reader, PEER_BITS);
    part->view_hash = part->view > 0 ? (uint32_t)bksi_read_bits(reader, 32) : 0;
    part->heartbeat = (uint32_t)bksi_read_bits(reader, BKSI_HEARTBEAT_BITS);
    if (bksi_read_bits(reader, 1) != 0) {
        part->complete = (uint32_t)bksi_read_bits(reader, BKS_PEERS_MAX);
    }
    for (uint32_t left = others; left != 0; left &= left - 1) {
        if (!read_other(reader, head, &part->others[bksi_lowest_bit(left)])) {
            return false;
        }
    }
    return !reader->failed;
}

void bksi_forward_head_write(bksi_bit_writer *writer, const bksi_forward_head *head)
{
    bksi_write_bits(writer, head->peer, PEER_BITS);
    bksi_write_bits(writer, (uint32_t)head->ack, 32);
    bksi_write_bits(writer, head->view, PEER_BITS);
}

bool bksi_forward_head_read(bksi_bit_reader *reader, bksi_forward_head *head)
{
    head->peer = (uint32_t)bksi_read_bits(reader, PEER_BITS);
    uint64_t ack = bksi_read_bits(reader, 32);
    head->ack = (bks_tick)ack;
    head->view = (uint32_t)bksi_read_bits(reader, PEER_BITS);
    return !reader->failed && ack <= INT32_MAX;
}

void bksi_relay_head_write(bksi_byte_writer *writer, const bksi_relay_head *head)
{
    bksi_write_u8(writer, (uint8_t)head->origin);
    bksi_write_u8(writer, (uint8_t)head->target);
    bksi_write_u8(writer, (uint8_t)head->passes);
}

bool bksi_relay_head_read(bksi_byte_reader *reader, bksi_relay_head *head)
{
    head->origin = bksi_read_u8(reader);
    head->target = bksi_read_u8(reader);
    head->passes = bksi_read_u8(reader);
    return !reader->failed && head->origin < BKS_PEERS_MAX && head->target < BKS_PEERS_MAX &&
           head->origin != head->target;
}
