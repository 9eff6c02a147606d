// SPDX-License-Identifier: MIT

/// @file lab_numbers.h
/// One number for all peers of a lab, or one for each: "3" or "3,5,4".

#ifndef BKS_TOOL_LAB_NUMBERS_H
#define BKS_TOOL_LAB_NUMBERS_H

#include "backstitch/toolkit/peer.h"

/// What may stand for a number.
typedef struct lab_number_kind {
    const char *option; ///< its name, for errors
    int64_t least;
    int64_t greatest;
    const char *word;    ///< stands for word_value; NULL: none
    uint32_t word_value; ///< see there
} lab_number_kind;

/// Numbers by peer.
typedef struct lab_numbers {
    uint32_t count; ///< as typed: 1 is for all
    uint32_t values[BKS_PEERS_MAX];
} lab_numbers;

/// Read them; errors go to stderr.
/// @return ARGS_GO or TOOL_MISUSE
int lab_numbers_read(const lab_number_kind *kind, const char *text, lab_numbers *out);

/// Whether there is one number for each peer, or one for all; errors go to stderr.
/// @return ARGS_GO or TOOL_MISUSE
int lab_numbers_fit(const lab_number_kind *kind, const lab_numbers *numbers, uint32_t peers);

#endif
