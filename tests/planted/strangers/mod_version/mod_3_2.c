// SPDX-License-Identifier: MIT

#include "mod.h"
// 3.2: armoured creeps get tougher with the waves
const tower_stats mod_towers[4] = {{"arrow", 6, 90, 10, 50}, {"cannon", 20, 70, 40, 120}, {"ice", 3, 80, 14, 80}, {"mortar", 34, 140, 70, 200}};
int mod_armour(int kind, int wave) { return kind == 2 ? (wave + 1) / 2 : kind; }
