// SPDX-License-Identifier: MIT

/// @file jobs.h
/// Check for calls that must not come from a job.

#ifndef BKSI_JOBS_H
#define BKSI_JOBS_H

#include "backstitch/det.h"

/// Refuse and log a call that comes from a job but must not.
/// @return true if the calling thread is in a job
bool bksi_jobs_refuse(const char *call);

#endif
