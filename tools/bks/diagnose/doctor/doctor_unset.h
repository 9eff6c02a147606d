// SPDX-License-Identifier: MIT

/// @file doctor_unset.h Memory that is read before it is written, as valgrind sees it. Bytes in
/// such memory that turn one state into another show only that they suffice, so the cause is proven
/// only where the read itself was seen.

#ifndef BKS_TOOL_DOCTOR_UNSET_H
#define BKS_TOOL_DOCTOR_UNSET_H

#include "diagnose/doctor/doctor_try.h"

/// Step under valgrind, and add to the evidence what it sees.
/// @param suspected  change of unset memory, with the tick and the value that it alters
/// @return true if that value, at that tick, comes from memory that was never written
bool doctor_unset_is_seen(doctor_case *c, const doctor_play *straight, const doctor_try *suspected);

#endif
