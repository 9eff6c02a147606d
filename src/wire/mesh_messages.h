// SPDX-License-Identifier: MIT

/// @file mesh_messages.h
/// How a mesh heals. The mesh part of an INPUT says which view its sender is in and how it hears
/// the others; FORWARD passes on inputs of a peer to one that does not hear it; RELAY passes on a
/// whole VIEW. See docs/spec/views.md.

#ifndef BKSI_MESH_MESSAGES_H
#define BKSI_MESH_MESSAGES_H

#include "base/bits.h"
#include "base/bytes.h"

/// Most bytes of a mesh part: the view, a heartbeat, a mask, and for six others 2 bits, a distance
/// and a heartbeat.
#define BKSI_MESH_PART_BYTES_MAX 44u

/// A peer's heartbeat counts how long it has been awake. It passes from peer to peer, so a peer
/// that hears of a newer one knows that the peer lived not long ago, by whatever path. It wraps.
#define BKSI_HEARTBEAT_BITS 14u

/// How the sender hears one other peer.
typedef struct bksi_mesh_other {
    bool is_fine;  ///< directly, a moment ago, and it hears the sender too
    bks_tick need; ///< unless fine: the first tick of it that the sender does not have
    bool has_heartbeat;
    uint32_t heartbeat; ///< the newest of it that the sender knows
} bksi_mesh_other;

/// Present where something is not plain.
typedef struct bksi_mesh_part {
    uint32_t view;                         ///< 0..BKS_PEERS_MAX-1
    uint32_t view_hash;                    ///< lowest 32 bits; 0 in view 0
    uint32_t heartbeat;                    ///< the sender's own
    uint32_t complete;                     ///< bits: peers known to have every tick of the match
    bksi_mesh_other others[BKS_PEERS_MAX]; ///< by peer
} bksi_mesh_part;

/// Whether all is well: the first view, every peer heard, none complete, and no heartbeat to send.
/// Then it is left out.
/// @param others  bits of the peers that it describes: all but the sender and the receiver
bool bksi_mesh_part_is_plain(uint32_t others, const bksi_mesh_part *part);

/// The mesh part that stands for one left out.
void bksi_mesh_part_plain(uint32_t others, bksi_mesh_part *part);

/// @param head  the sender's, in the same message
void bksi_mesh_part_write(bksi_bit_writer *writer, uint32_t others, bks_tick head,
                          const bksi_mesh_part *part);
/// @return false when the bits are no mesh part
bool bksi_mesh_part_read(bksi_bit_reader *reader, uint32_t others, bks_tick head,
                         bksi_mesh_part *part);

/// The inputs follow as a run.
typedef struct bksi_forward_head {
    uint32_t peer; ///< whose inputs
    bks_tick ack;  ///< first tick of the receiver's that this peer does not have, as far as known
    uint32_t view; ///< the newest that this peer said to be in
} bksi_forward_head;

void bksi_forward_head_write(bksi_bit_writer *writer, const bksi_forward_head *head);
bool bksi_forward_head_read(bksi_bit_reader *reader, bksi_forward_head *head);

/// Bytes before the message that is relayed.
#define BKSI_RELAY_HEAD_BYTES 3u

typedef struct bksi_relay_head {
    uint32_t origin; ///< whose message
    uint32_t target; ///< for whom
    uint32_t passes; ///< how many passed it on before its sender
} bksi_relay_head;

void bksi_relay_head_write(bksi_byte_writer *writer, const bksi_relay_head *head);
bool bksi_relay_head_read(bksi_byte_reader *reader, bksi_relay_head *head);

#endif
