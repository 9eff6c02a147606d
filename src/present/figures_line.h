// SPDX-License-Identifier: MIT

/// @file figures_line.h
/// Figures as lines of text.

#ifndef BKSI_FIGURES_LINE_H
#define BKSI_FIGURES_LINE_H

/// Room for any line.
#define BKSI_FIGURES_LINE_BYTES 256

#endif
