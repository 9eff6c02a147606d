// SPDX-License-Identifier: MIT

/// @file complaint.h Parser of the output of valgrind's memcheck. It finds complaints, and for each
/// the first stack frame of the game.

#ifndef BKS_TOOL_COMPLAINT_H
#define BKS_TOOL_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

/// Stack frame in a complaint. Texts that are not known are empty.
typedef struct complaint_frame {
    char function[96];
    char line[128]; ///< source line, such as storm.c:19
} complaint_frame;

/// Find the first complaint about memory that the program has freed or never allocated.
/// @param text      output of memcheck
/// @param out       receives the complaint, such as "reads 4 bytes that were freed"
/// @param capacity  size of `out` in bytes
/// @param frame     receives the first frame of the game
/// @return false if there is no such complaint
bool complaint_invalid(const char *text, char *out, size_t capacity, complaint_frame *frame);

/// Find the first complaint about a decision that depends on bytes that were never written.
/// @return false if there is no such complaint, or no stack frame in it belongs to the game
bool complaint_branch(const char *text, complaint_frame *frame);

/// Find where the unwritten bytes come from that the last complaint is about.
/// @return false if memcheck names no origin, or no stack frame of the origin belongs to the game
bool complaint_origin(const char *text, complaint_frame *frame);

#endif
