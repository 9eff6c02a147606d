// SPDX-License-Identifier: MIT

/// @file bench.h
/// The benchmarks of `bks bench`. Each gets the arguments behind `bks bench`, its own name as
/// argv[0], and gives the program's exit status.

#ifndef BKS_BENCH_H
#define BKS_BENCH_H

int bench_codec(int argc, char **argv);
int bench_det(int argc, char **argv);
int bench_forged(int argc, char **argv);
int bench_latency(int argc, char **argv);
int bench_predict(int argc, char **argv);
int bench_present(int argc, char **argv);
int bench_replay(int argc, char **argv);

#endif
