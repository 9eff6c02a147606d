// SPDX-License-Identifier: MIT

/// @file bench_codec_run.h
/// How many bytes recorded inputs take, one player's whole match at a time, coded in several ways.

#ifndef BKS_BENCH_CODEC_RUN_H
#define BKS_BENCH_CODEC_RUN_H

#include "workshop/bench/bench_matches.h"

typedef enum coding {
    CODED_RAW,       ///< all bits of every input
    CODED_FIEDLER,   ///< a changed bit, then all bits
    CODED_INVERSUS,  ///< a changed bit for each group of fields, then its bits
    CODED_TWO_LEVEL, ///< the library's plain code: as INVERSUS, behind a changed bit
    CODED_ZLIB,      ///< the packed inputs, level 9
    CODED_ZSTD,      ///< the packed inputs, level 19
    CODED_LEARNT,    ///< the library's model of the player
    CODINGS,
} coding;

/// Sums over what was coded.
typedef struct code_count {
    uint64_t inputs;
    double player_seconds;
    double bytes[CODINGS];
    double plain_ns;  ///< coding all inputs plainly
    double encode_ns; ///< the same by the model
    double decode_ns; ///< and back
} code_count;

/// Code one match in every way, and decode what the model coded.
/// @return BKS_OK, BKS_ERR_BAD_CONFIG, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_DAMAGED (it did not come
/// back)
BKS_NODISCARD bks_status code_match(const played_match *match, const bks_field *fields,
                                    uint32_t field_count, code_count *count, bks_error *error);

#endif
