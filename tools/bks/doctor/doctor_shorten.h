// SPDX-License-Identifier: MIT

/// @file doctor_shorten.h
/// The least stretch of both recordings that comes to the same verdict.

#ifndef BKS_TOOL_DOCTOR_SHORTEN_H
#define BKS_TOOL_DOCTOR_SHORTEN_H

#include "doctor/doctor_case.h"

/// Write the stretch as recordings of their own, A.bks and B.bks, into c->shortened; errors go to
/// stderr.
/// @param c       with a verdict that is proven; receives the paths and the first tick
/// @param folder  made if missing
/// @return TOOL_OK, also when no part comes to the verdict, which the evidence says; TOOL_MISUSE:
///         it cannot be written there; TOOL_STOPPED
int doctor_shorten(doctor_case *c, const char *folder);

#endif
