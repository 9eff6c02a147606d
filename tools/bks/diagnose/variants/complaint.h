// SPDX-License-Identifier: MIT

/// @file complaint.h
/// Parser of what valgrind's memcheck writes: the complaint, and the first frame of the game.

#ifndef BKS_TOOL_COMPLAINT_H
#define BKS_TOOL_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

/// Frame of a stack. Texts are empty where they are not known.
typedef struct complaint_frame {
    char function[96];
    char line[128]; ///< "storm.c:19"
} complaint_frame;

/// Find the first complaint about memory that the program does not own.
/// @param text      output of memcheck
/// @param out       receives the complaint, such as "reads 4 bytes that were freed"
/// @param capacity  bytes at out
/// @param frame     receives its frame
/// @return false: there is none
bool complaint_invalid(const char *text, char *out, size_t capacity, complaint_frame *frame);

/// Find the first decision by bytes that were never written.
/// @return false: there is none, or it has no frame of the game
bool complaint_branch(const char *text, complaint_frame *frame);

/// Find the origin of the bytes of the last complaint.
/// @return false: there is none, or it has no frame of the game
bool complaint_origin(const char *text, complaint_frame *frame);

#endif
