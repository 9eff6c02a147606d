// SPDX-License-Identifier: MIT

/// @file doctor_picture.h
/// Both states as the game draws them.

#ifndef BKS_TOOL_DOCTOR_PICTURE_H
#define BKS_TOOL_DOCTOR_PICTURE_H

#include <stdio.h>

#include "diagnose/doctor/doctor_try.h"

/// Write the pictures of both states at the tick that differs as a part of a page; nothing for a
/// game that does not draw, or where a state is not known.
void doctor_picture_write(FILE *out, const doctor_case *c, const doctor_states states[2]);

#endif
