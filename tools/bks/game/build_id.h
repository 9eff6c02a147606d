// SPDX-License-Identifier: MIT

/// @file build_id.h
/// What names a build of a plug-in: the id that the linker gave it (bks_build_id()), or, when it
/// was linked without one, a hash of the file.

#ifndef BKS_TOOL_BUILD_ID_H
#define BKS_TOOL_BUILD_ID_H

/// The first 64 bits of it as hexadecimal digits, and a zero.
enum { BUILD_ID_BYTES = 17 };

/// Name the build of a loaded object.
/// @param symbol  an address in it
/// @param path    its file
/// @param out     receives the name, "" when the file cannot be read either
void build_id_of(const void *symbol, const char *path, char out[BUILD_ID_BYTES]);

#endif
