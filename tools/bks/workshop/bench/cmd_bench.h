// SPDX-License-Identifier: MIT

/// @file cmd_bench.h
/// `bks bench`: runs one of the benchmarks.

#ifndef BKS_TOOL_CMD_BENCH_H
#define BKS_TOOL_CMD_BENCH_H

/// @return the exit status
int cmd_bench(int argc, char **argv);

#endif
