// SPDX-License-Identifier: MIT

/// @file lab_parts.h
/// Functions that the files of `bks lab` share:
///   cmd_lab.c         the command: run and print
///   cmd_lab_setup.c   command line
///   cmd_lab_outcome.c outcome of a match in the lab or over UDP, and figures over time
///   cmd_lab_udp.c     each peer in a process of its own, over real UDP
///   cmd_lab_html.c    report with graphs

#ifndef BKS_TOOL_LAB_PARTS_H
#define BKS_TOOL_LAB_PARTS_H

#include <stdio.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/writer.h"
#include "base/args.h"
#include "game/loader.h"
#include "game/report.h"
#include "game/source.h"

/// Number of bins of a series of figures over time.
enum { LAB_SERIES_BINS = 400 };

/// Interpreted command line of `bks lab`.
typedef struct lab_setup {
    loaded_game game;
    bks_game other_rate;   ///< copy of the game with the rate of --hz
    bks_game variant;      ///< copy of the game with the variant of --with
    bks_lab_config config; ///< config of the lab, without recordings
    source_set *sources;   ///< owner of the sources in `config`
    /// Specs of links: first those of the command line in their order, then those of the file of
    /// links.
    args_list links;
    char *links_text;        ///< text of the file of links
    args_list faults;        ///< specs of faults
    args_list bulk;          ///< specs of streams of bytes beside the match
    args_list watchers;      ///< specs of watchers
    const char *window;      ///< prediction windows of the peers, as typed
    const char *delay;       ///< input delays of the peers, as typed
    const char *record_dir;  ///< folder of recordings, which exists; NULL: no recordings
    const char *report_path; ///< path of the report; NULL: no report
    const char *wav_path;    ///< WAV file of the first peer's sound; NULL: none
    FILE *report;            ///< file of the report, opened but not yet overwritten
    bool is_json;
    bool is_udp;
    bool is_strict; ///< true: the oracle judges the match, as in `bks sweep`
} lab_setup;

/// Read and interpret the command line; errors go to stderr.
/// @return ARGS_GO; else an exit status: `setup` need not be closed
int lab_setup_open(int argc, char **argv, lab_setup *setup);

/// Release what lab_setup_open() took.
void lab_setup_close(lab_setup *setup);

/// Open the recording of one peer; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int lab_setup_record(const lab_setup *setup, uint32_t peer, bks_record_file *file);

/// Sums of one peer's figures over a short time, the width of the bin.
typedef struct lab_bin {
    uint32_t samples;
    double ahead_sum; ///< number of predicted ticks at a sample, summed over the samples
    uint64_t rollbacks;
    uint64_t depth_sum;
    uint64_t starved;
    uint64_t payload_bytes;
} lab_bin;

/// Figures of one peer from the first tick on. When time runs past the last bin, neighbouring bins
/// are merged. Plain data; start from zero, except for `width_ns`.
typedef struct lab_series {
    uint64_t width_ns; ///< width of a bin, in ns
    bks_stats last;
    lab_bin bins[LAB_SERIES_BINS];
} lab_series;

/// Add the figures of one bin to another.
void lab_bin_add(lab_bin *sum, const lab_bin *added);

/// Sample the figures of a peer.
/// @param since_ns  time since the match's first tick
void lab_series_sample(lab_series *series, uint64_t since_ns, bks_peer *peer);

/// Outcome of a match.
typedef struct lab_outcome {
    report_match match; ///< report of the match, whose pointers lead into this struct
    report_peer peers[BKS_PEERS_MAX];
    bks_lab_result result; ///< result of the lab; with --udp it has no links, moments and peers
    char why[256];         ///< fault that the oracle found; only with --strict
    int recording; ///< TOOL_OK; else a recording or the sound could not be written completely
    lab_series series[BKS_PEERS_MAX];
} lab_outcome;

/// Fill in the parts of the report that are known before a match.
void lab_outcome_begin(lab_outcome *outcome, const lab_setup *setup);

/// Fill in the report from the result.
void lab_outcome_take(lab_outcome *outcome);

/// Check that every planted flip hit the state; errors go to stderr.
/// @return TOOL_OK; TOOL_MISUSE: the byte of a flip was beyond the state
int lab_outcome_check_flips(const bks_lab_result *result);

/// Run the match with each peer in a process of its own, over loopback UDP.
/// @return TOOL_OK if the match ran, whatever its outcome; else an exit status, with an error on
///         stderr
int lab_udp_run(const lab_setup *setup, lab_outcome *outcome);

/// Write the report; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int lab_html_write(const lab_setup *setup, const lab_outcome *outcome);

#endif
