// SPDX-License-Identifier: MIT

/// @file lab_plant.h
/// The option --plant of `bks lab` and `bks sweep`. Only builds with tests have mutants. These
/// builds use tests/plant/lab_plant.c instead of the file beside this header.

#ifndef BKS_TOOL_LAB_PLANT_H
#define BKS_TOOL_LAB_PLANT_H

/// Switch on the mutant of a name in every session from now on; NULL: no mutant.
/// @return ARGS_GO; TOOL_MISUSE, with an error on stderr: there is no such mutant, or the build has
///         none
int lab_plant(const char *name);

#endif
