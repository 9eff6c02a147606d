// SPDX-License-Identifier: MIT

/// @file report_finding.h
/// Desync that a peer of this process found and reported in its events.

#ifndef BKS_TOOL_REPORT_FINDING_H
#define BKS_TOOL_REPORT_FINDING_H

#include "backstitch/toolkit/lab.h"
#include "base/json.h"

/// Record the first desync from its event, and the name of the difference from a later event.
/// @param finding  {0} before the first event
/// @param now_ns   time on the clock that measures how long naming took
void report_finding_take(bks_lab_finding *finding, const bks_session *session,
                         const bks_event *event, uint64_t now_ns);

/// Write a finding as the key "desync" of the open object.
void report_finding_json(json *j, const bks_lab_finding *finding, uint32_t self);

#endif
