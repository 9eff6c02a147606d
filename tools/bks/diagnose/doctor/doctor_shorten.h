// SPDX-License-Identifier: MIT

/// @file doctor_shorten.h
/// The least stretch of both recordings that comes to the same verdict.

#ifndef BKS_TOOL_DOCTOR_SHORTEN_H
#define BKS_TOOL_DOCTOR_SHORTEN_H

#include "diagnose/doctor/doctor_case.h"

/// Say where the parts will go, before anything is examined, and see whether they can; errors go to
/// stderr.
/// @param c       receives the paths
/// @param folder  made later if it is missing
/// @return TOOL_OK; TOOL_MISUSE: it cannot be made or written to, or a part of that name is there
int doctor_shorten_check(doctor_case *c, const char *folder);

/// Write the stretch as recordings of their own, A.bks and B.bks, into c->shortened. What does not
/// come to the verdict does not stay, nor does a folder that was made for it.
/// @param c       with a verdict; receives the first tick
/// @param folder  as it was checked
/// @return TOOL_OK, also when no part comes to the verdict, which the evidence says; TOOL_STOPPED
int doctor_shorten(doctor_case *c, const char *folder);

#endif
