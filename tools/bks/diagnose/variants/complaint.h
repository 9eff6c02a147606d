// SPDX-License-Identifier: MIT

/// @file complaint.h
/// What valgrind's memcheck wrote about a program, read for the frame that is the game's.

#ifndef BKS_TOOL_COMPLAINT_H
#define BKS_TOOL_COMPLAINT_H

#include <stdbool.h>
#include <stddef.h>

/// A frame of a stack. Texts are empty where they are not known.
typedef struct complaint_frame {
    char function[96];
    char line[128]; ///< "storm.c:19"
} complaint_frame;

/// Find the first complaint about memory that was not the program's.
/// @param text      what memcheck wrote
/// @param out       receives what was done, such as "reads 4 bytes that were freed"
/// @param capacity  bytes at out
/// @param frame     receives where
/// @return false: there is none
bool complaint_invalid(const char *text, char *out, size_t capacity, complaint_frame *frame);

/// Find the first decision by bytes that were never written.
/// @return false: there is none, or no frame of it is the game's
bool complaint_branch(const char *text, complaint_frame *frame);

/// Find where the bytes of the last complaint came from.
/// @return the same
bool complaint_origin(const char *text, complaint_frame *frame);

#endif
