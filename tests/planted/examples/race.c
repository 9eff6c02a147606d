// SPDX-License-Identifier: MIT

// The game of examples/custom_transport.c as a plug-in, which that is not.

#define main race_main
int race_main(void);
#include "../../../examples/custom_transport.c"
#undef main

#include "backstitch/plugin.h"

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &race};
