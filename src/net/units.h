// SPDX-License-Identifier: MIT

/// @file units.h
/// Times in nanoseconds. For the sources of this room alone: the names are short, so no header of
/// it includes this.

#ifndef BKSI_NET_UNITS_H
#define BKSI_NET_UNITS_H

#include <stdint.h>

#define US     UINT64_C(1000)
#define MS     (1000 * US)
#define SECOND (1000 * MS)

#endif
