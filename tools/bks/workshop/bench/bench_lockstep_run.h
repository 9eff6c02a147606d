// SPDX-License-Identifier: MIT

/// @file bench_lockstep_run.h
/// Two peers in lockstep over a bad line: this library on virtual time, and a stream over the
/// kernel's TCP in real time.

#ifndef BKS_BENCH_LOCKSTEP_RUN_H
#define BKS_BENCH_LOCKSTEP_RUN_H

#include "backstitch/toolkit/links.h"

#define LOCKSTEP_HZ    60u
#define LOCKSTEP_PEERS 2u

/// Longest input delay, in ticks.
#define LOCKSTEP_DELAY_MAX 512u

/// Times of one peer's samples and steps, in ns since the match began.
typedef struct lockstep_trace {
    uint64_t *sampled_ns; ///< by tick; UINT64_MAX: the tick's input was not sampled
    uint64_t *stepped_ns; ///< by tick, for the first `steps` ticks
    uint32_t steps;
    uint32_t room; ///< ticks allocated
} lockstep_trace;

/// One match over one line.
typedef struct lockstep_run {
    const char *spec;     ///< line of each direction, such as "delay=100ms,loss=1%"
    uint64_t seed;        ///< seed of the line and of the inputs
    uint32_t seconds;     ///< length, 1..3600
    uint32_t delay_ticks; ///< TCP: input delay. Ours: receives the mean that was chosen
    bool has_begun;       ///< both peers reached the first tick
    double connect_ms;    ///< time until then
    uint64_t bytes;       ///< sent by both peers, with the headers of IP and transport
    lockstep_trace traces[LOCKSTEP_PEERS];
} lockstep_run;

/// Allocate the traces.
/// @return false: no memory
bool lockstep_run_open(lockstep_run *run);

/// Free the traces.
void lockstep_run_close(lockstep_run *run);

/// Note that a peer sampled the input of a tick, or stepped its next tick.
void lockstep_note_sample(lockstep_trace *trace, uint32_t tick, uint64_t now_ns);
void lockstep_note_step(lockstep_trace *trace, uint64_t now_ns);

/// Play with this library: lockstep with the automatic delay, in the lab.
/// @return false: no memory, or the match could not be made
bool lockstep_ours(lockstep_run *run);

/// How matches over TCP were played.
typedef struct lockstep_tcp_facts {
    uint64_t late_ns;    ///< longest time by which the emulated line was late
    char congestion[16]; ///< the kernel's congestion control
    char why[128];       ///< why it is not possible here
} lockstep_tcp_facts;

/// Play over TCP, all runs at once, in real time. Each run has two network namespaces of its own,
/// joined by a line that this process emulates.
/// @return false: it is not possible here
bool lockstep_tcp(lockstep_run *runs, uint32_t count, lockstep_tcp_facts *facts);

#endif
