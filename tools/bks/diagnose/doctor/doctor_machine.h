// SPDX-License-Identifier: MIT

/// @file doctor_machine.h The machines that recorded, as the evidence of their recordings describes
/// them: locale, time zone, processor, system, builds of program and library.

#ifndef BKS_TOOL_DOCTOR_MACHINE_H
#define BKS_TOOL_DOCTOR_MACHINE_H

#include "diagnose/doctor/doctor_try.h"

/// Maximum number of changes that set an entry of a machine that recorded.
enum { DOCTOR_MACHINE_CHANGES_MAX = 4 };

/// Change to try: an entry of one machine that the other one has not.
typedef struct doctor_machine_change {
    const char *variant; ///< name of the variant that sets the entry
    int side;            ///< side whose machine has the entry
    char value[DOCTOR_SET_BYTES];
} doctor_machine_change;

/// Add the entries in which the machines of both sides differ to the evidence.
void doctor_machine_note(doctor_case *c);

/// List the changes for all entries that differ and that a process can set.
/// @return their number
uint32_t doctor_machine_changes(const doctor_case *c,
                                doctor_machine_change out[DOCTOR_MACHINE_CHANGES_MAX]);

/// Try to prove that an entry in which the machines differ is the cause: with the entry of each
/// side's machine this machine comes to that side's hashes. Give zones a clock of several hours,
/// too.
/// @param all  tries of all changes, of which one must alter the step after which the sides differ
bool doctor_machine_prove(doctor_case *c, const doctor_play *straight, const doctor_tries *all);

#endif
