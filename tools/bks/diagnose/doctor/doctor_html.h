// SPDX-License-Identifier: MIT

/// @file doctor_html.h
/// A verdict as a page that needs nothing else.

#ifndef BKS_TOOL_DOCTOR_HTML_H
#define BKS_TOOL_DOCTOR_HTML_H

#include "diagnose/doctor/doctor_case.h"

/// See whether the page can be written, before anything is examined; errors go to stderr.
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_html_check(const char *path);

/// Write the page; errors go to stderr. The proof is made once more, for the states around it.
/// @param c  examined
/// @return TOOL_OK, TOOL_DAMAGED
int doctor_html_write(doctor_case *c, const char *path);

#endif
