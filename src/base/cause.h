// SPDX-License-Identifier: MIT

/// @file cause.h
/// Text for the error of a system call: an errno, or on Windows an error of Win32 or Winsock.

#ifndef BKSI_CAUSE_H
#define BKSI_CAUSE_H

/// Size of a text, its terminating zero included; longer texts are cut.
#define BKSI_CAUSE_BYTES 128

/// Write the system's text for an error.
/// @param cause  number that the system gave
/// @return `out`
const char *bksi_cause_text(int cause, char out[BKSI_CAUSE_BYTES]);

#endif
