// SPDX-License-Identifier: MIT

/// @file jobs.h
/// Which calls come from a job, for those that must not.

#ifndef BKSI_JOBS_H
#define BKSI_JOBS_H

#include "backstitch/det.h"

/// Refuse a call that a job must not make: log it.
/// @return whether the calling thread is in a job
bool bksi_jobs_refuse(const char *call);

#endif
