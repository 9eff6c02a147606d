// SPDX-License-Identifier: MIT

/// @file bulk_model.h
/// Two peers that send each other a stream beside packets of a match, over two queues.

#ifndef TEST_BULK_MODEL_H
#define TEST_BULK_MODEL_H

#include "net/bulk.h"

#include "queue_model.h"

typedef struct bulk_side {
    bksi_line line;
    bksi_line_rate rate; ///< of the match
    bksi_bulk bulk;
    uint64_t number; ///< of the next packet
    uint64_t came;
    uint64_t newest_number;
    uint64_t newest_ns;
    uint64_t echoed_ns;
    bool is_asked;        ///< and then this packet is echoed:
    bksi_line_echo asked; ///< without its hold
    uint64_t asked_ns;
    uint64_t tick_ns;
    uint64_t bulk_packets; ///< sent
    double late_ns;        ///< sum of what packets of the match took longer than the delay
    uint64_t late_ns_max;
    uint64_t match_packets; ///< that came

    uint64_t to_write; ///< length of the stream
    uint64_t written;
    uint64_t read;
    size_t read_at_once;
    bool is_wrong; ///< a byte that was read was not the next one
} bulk_side;

typedef struct bulk_model {
    queue_model ways[2]; ///< by sender
    bulk_side sides[2];
    uint64_t now_ns;
    uint32_t repeat_of_1000; ///< packets that come twice
    bool is_cut;
    size_t longest_bytes; ///< longer packets are lost, with all headers; 0: none are
    uint64_t refused;
} bulk_model;

void bulk_model_init(bulk_model *model, uint64_t bits_per_s, uint64_t delay_ns, size_t buffer_bytes,
                     const bks_allocator *allocator, uint64_t seed);
void bulk_model_destroy(bulk_model *model);
/// For so long, or until both have read all.
void bulk_model_run(bulk_model *model, double seconds);
/// Return true if both sides have read the whole stream of the other.
bool bulk_model_is_finished(const bulk_model *model);

#endif
