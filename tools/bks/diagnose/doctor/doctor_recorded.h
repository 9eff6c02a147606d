// SPDX-License-Identifier: MIT

/// @file doctor_recorded.h States that the recordings of a case hold of the first tick whose hashes
/// differ: in rows of marks, or as evidence that each peer took when the states differed.

#ifndef BKS_TOOL_DOCTOR_RECORDED_H
#define BKS_TOOL_DOCTOR_RECORDED_H

#include "diagnose/doctor/doctor_play.h"

/// Read the states of A and of B at the start of the first tick whose hashes differ.
/// @param straight  play of side A; it may hold the state of this machine, of which evidence of
///                  large states needs the pages that do not differ
/// @param out       {0} at first; receives the states; release each with mark_list_end()
/// @return false if the recordings do not hold both
bool doctor_recorded_read(const doctor_case *c, const doctor_play *straight, mark_list out[2]);

/// Enter into the verdict the place at which the states of both sides differ, by evidence. A side
/// without evidence may be this machine.
/// @param straight  play of side A; it may hold the state of this machine
void doctor_recorded_place(doctor_case *c, const doctor_play *straight);

/// If nothing shows what differs first, and no cause is proven, enter into the verdict what a
/// recording has of a later tick: what differed between its peer and the other side, or with one
/// recording the peer that its desync event names.
void doctor_recorded_place_peers(doctor_case *c, const doctor_play *straight);

/// Add to the evidence what the recordings hold about the moment of the difference: states and
/// match logs.
void doctor_recorded_note(doctor_case *c, const doctor_play *straight);

#endif
