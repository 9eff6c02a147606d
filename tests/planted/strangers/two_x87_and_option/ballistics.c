// SPDX-License-Identifier: MIT

// own unit: the old 32-bit flags (-mfpmath=387) came along with its makefile
double ballistics_fall(double v, double dt, double drag) { return v * (1.0 - drag * dt) + 9.81 * dt * (1.0 - v * v * drag * 0.001); }
