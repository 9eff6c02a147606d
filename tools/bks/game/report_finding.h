// SPDX-License-Identifier: MIT

/// @file report_finding.h
/// The desync that a peer of this process found, kept from its events for the report.

#ifndef BKS_TOOL_REPORT_FINDING_H
#define BKS_TOOL_REPORT_FINDING_H

#include "backstitch/toolkit/lab.h"
#include "base/json.h"

/// Keep what an event says of the first desync and, later, of what differs.
/// @param finding  zero at first
/// @param now_ns   of the clock by which it is measured how long naming took
void report_finding_take(bks_lab_finding *finding, const bks_session *session,
                         const bks_event *event, uint64_t now_ns);

/// Write it as the key "desync" of the object that is open.
void report_finding_json(json *j, const bks_lab_finding *finding, uint32_t self);

#endif
