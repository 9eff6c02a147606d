// SPDX-License-Identifier: MIT

/// @file lab_plant.h
/// The option --plant of `bks lab` and `bks sweep`: mutants (base/mutant.h), which only builds with
/// tests have.

#ifndef BKS_TOOL_LAB_PLANT_H
#define BKS_TOOL_LAB_PLANT_H

/// Plant the fault of this name in every session from now on, NULL: none.
/// @return ARGS_GO, or TOOL_MISUSE, said on stderr
int lab_plant(const char *name);

#endif
