// SPDX-License-Identifier: MIT

/// @file doctor_vote.h Vote of more than two recordings of a match: the first tick at which their
/// hashes differ, and which recordings agree there.

#ifndef BKS_TOOL_DOCTOR_VOTE_H
#define BKS_TOOL_DOCTOR_VOTE_H

#include "diagnose/doctor/doctor_case.h"

/// Compare the hashes of several recordings, and choose the two to explain: the first of the
/// majority, and the first that stands alone. Without a majority they are the first of the two
/// largest groups. The result becomes evidence.
/// @param paths   recordings, DOCTOR_FILES_MAX at most
/// @param chosen  receives two of the paths
/// @return TOOL_OK, or TOOL_MISUSE or TOOL_DAMAGED with an error on stderr
int doctor_vote_take(doctor_case *c, const char *const *paths, uint32_t count,
                     const char *chosen[2]);

#endif
