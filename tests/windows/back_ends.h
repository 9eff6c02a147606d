// SPDX-License-Identifier: MIT

/// @file back_ends.h
/// What all parts of this program count.

#ifndef BACK_ENDS_H
#define BACK_ENDS_H

#include <stdbool.h>

/// One thing that must be so. What is not is named.
#define CHECK(condition) back_ends_check((condition), #condition, __FILE__, __LINE__)

bool back_ends_check(bool is_so, const char *what, const char *file, int line);

/// How many temporary files of this program there are.
int back_ends_temporary(void);

/// Each part's tests, in a folder of its own that is the working one.
void back_ends_files(void);
void back_ends_sockets(void);
void back_ends_settings(void);
void back_ends_system(void);
void back_ends_children(void);

#endif
