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

/// Return true if other bytes in fresh memory alter a value in the step after which the sides
/// differ. What earlier calls leave on the stack differs after rollbacks, too, so a variable that
/// is read before it is written looks like something that the game keeps outside its state.
/// @param object, field  names of the value
/// @param out            receives the change that alters it
bool doctor_unset_alters(const doctor_case *c, const doctor_play *straight, const char *object,
                         const char *field, doctor_try *out);

#endif
