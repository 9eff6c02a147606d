// SPDX-License-Identifier: MIT

/// @file doctor_fields.h
/// The values of one object in several states.

#ifndef BKS_TOOL_DOCTOR_FIELDS_H
#define BKS_TOOL_DOCTOR_FIELDS_H

#include "diagnose/doctor/doctor_try.h"

enum { DOCTOR_FIELDS_MAX = 48, DOCTOR_FIELD_BYTES = 64, DOCTOR_FIELD_NAME_BYTES = 160 };

/// The table.
typedef struct doctor_fields {
    uint32_t count;  ///< fields
    uint32_t others; ///< that have no room
    char names[DOCTOR_FIELDS_MAX][DOCTOR_FIELD_NAME_BYTES];
    /// By side, tick and field; "" where nothing is known.
    char values[2][CHECK_KEPT_MAX][DOCTOR_FIELDS_MAX][DOCTOR_FIELD_BYTES];
} doctor_fields;

/// Read the object of the verdict from the states of both sides.
void doctor_fields_read(const doctor_case *c, const doctor_states states[2], doctor_fields *out);

#endif
