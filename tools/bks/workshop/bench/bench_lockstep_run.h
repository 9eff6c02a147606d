// SPDX-License-Identifier: MIT

/// @file bench_lockstep_run.h
/// Matches of two peers in lockstep over a bad line: with this library on virtual time, or with a
/// stream over the kernel's TCP in real time.

#ifndef BKS_BENCH_LOCKSTEP_RUN_H
#define BKS_BENCH_LOCKSTEP_RUN_H

#include "backstitch/toolkit/links.h"

#define LOCKSTEP_HZ    60u
#define LOCKSTEP_PEERS 2u

/// Maximum input delay of a match, in ticks.
#define LOCKSTEP_DELAY_MAX 512u

/// Times at which one peer sampled and stepped each tick, in ns since the match began.
typedef struct lockstep_trace {
    /// Time at which each tick's input was sampled, by tick; UINT64_MAX: it was not sampled.
    uint64_t *sampled_ns;
    uint64_t *stepped_ns; ///< time at which each of the first `steps` ticks was stepped, by tick
    uint32_t steps;
    uint32_t room; ///< length of the two arrays, in ticks
} lockstep_trace;

/// A lockstep match over one line, with its results.
typedef struct lockstep_run {
    const char *spec; ///< spec of the line in each direction, such as delay=100ms,loss=1%
    uint64_t seed;    ///< seed of the line and of the inputs
    uint32_t seconds; ///< length of the match, 1..3600
    /// Input delay of both peers. For TCP the caller sets it. A match with this library stores the
    /// mean of its automatic delay here.
    uint32_t delay_ticks;
    bool has_begun;    ///< true: both peers reached the first tick
    double connect_ms; ///< time until both peers had reached the first tick
    uint64_t bytes;    ///< bytes that both peers sent, with the headers of IP and UDP or TCP
    lockstep_trace traces[LOCKSTEP_PEERS];
} lockstep_run;

/// Allocate the traces of a match.
/// @return false if there is no memory
bool lockstep_run_open(lockstep_run *run);

/// Free the traces of a match.
void lockstep_run_close(lockstep_run *run);

/// Record the time at which a peer sampled the input of a tick, or stepped its next tick.
void lockstep_note_sample(lockstep_trace *trace, uint32_t tick, uint64_t now_ns);
void lockstep_note_step(lockstep_trace *trace, uint64_t now_ns);

/// Play a match with this library, in lockstep with the automatic delay, in the lab.
/// @return false if there is no memory or the match could not be made
bool lockstep_ours(lockstep_run *run);

/// Conditions under which the matches over TCP were played.
typedef struct lockstep_tcp_facts {
    uint64_t late_ns;    ///< longest time by which the emulated line was late
    char congestion[16]; ///< name of the kernel's congestion control
    char why[128];       ///< reason why matches over TCP are not possible on this machine
} lockstep_tcp_facts;

/// Play all matches over TCP at the same time, in real time. Each match has two network namespaces
/// of its own, joined by a line that this process emulates.
/// @return false if this is not possible on this machine
bool lockstep_tcp(lockstep_run *runs, uint32_t count, lockstep_tcp_facts *facts);

#endif
