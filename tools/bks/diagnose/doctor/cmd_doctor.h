// SPDX-License-Identifier: MIT

/// @file cmd_doctor.h
/// The command `bks doctor`: find out why two recordings of a match differ.

#ifndef BKS_TOOL_CMD_DOCTOR_H
#define BKS_TOOL_CMD_DOCTOR_H

/// @return the exit status
int cmd_doctor(int argc, char **argv);

#endif
