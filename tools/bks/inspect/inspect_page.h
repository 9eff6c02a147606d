// SPDX-License-Identifier: MIT

/// @file inspect_page.h
/// The page of an inspector: one file without outside parts.

#ifndef BKS_TOOL_INSPECT_PAGE_H
#define BKS_TOOL_INSPECT_PAGE_H

#include <stdio.h>

/// Write it.
void inspect_page_print(FILE *out);

#endif
