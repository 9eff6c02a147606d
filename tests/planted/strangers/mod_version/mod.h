// SPDX-License-Identifier: MIT

typedef struct tower_stats { const char *name; int damage, range, reload, cost; } tower_stats;
extern const tower_stats mod_towers[4];
int mod_armour(int kind, int wave);
