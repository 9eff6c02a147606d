// SPDX-License-Identifier: MIT

/// @file tuning.h
/// The one check of a bks_tuning, for every config that holds one.

#ifndef BKSI_SESSION_TUNING_H
#define BKSI_SESSION_TUNING_H

#include "backstitch/tuning.h"

/// Whether every value is in its range.
/// @param call   the call that the log names
/// @param error  may be NULL
/// @return BKS_OK, BKS_ERR_BAD_CONFIG (error names the field, such as "tuning.pace", and its range)
bks_status bksi_tuning_check(const bks_tuning *tuning, const char *call, bks_error *error);

#endif // BKSI_SESSION_TUNING_H
