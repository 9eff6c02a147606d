// SPDX-License-Identifier: MIT

/// @file cause.h
/// Why a call of the system failed, as a sentence: an errno, or on Windows an error of Win32 or
/// Winsock.

#ifndef BKSI_CAUSE_H
#define BKSI_CAUSE_H

/// Room for every sentence, its terminating zero included; a longer one is cut.
#define BKSI_CAUSE_BYTES 128

/// @param cause  the number that the system gave
/// @return `out`
const char *bksi_cause_text(int cause, char out[BKSI_CAUSE_BYTES]);

#endif
