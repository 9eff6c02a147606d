// SPDX-License-Identifier: MIT

/// @file units.h
/// Units of time in nanoseconds. Only the sources of this folder include this, because the names
/// are short.

#ifndef BKSI_NET_UNITS_H
#define BKSI_NET_UNITS_H

#include <stdint.h>

#define US     UINT64_C(1000)
#define MS     (1000 * US)
#define SECOND (1000 * MS)

#endif
