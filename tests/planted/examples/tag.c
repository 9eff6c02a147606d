// SPDX-License-Identifier: MIT

// The game of examples/tag.c as a plug-in, which that is not.

#define main tag_main
int tag_main(int argc, char **argv);
#include "../../../examples/tag.c"
#undef main

#include "backstitch/plugin.h"

static const bks_field tag_fields[] = {{.name = "run", .bits = 2, .is_signed = true}};

static const bks_game tag_game = {.name = "tag",
                                  .tick_rate_hz = 60,
                                  .players_max = 2,
                                  .fields = tag_fields,
                                  .field_count = 1,
                                  .state_bytes = sizeof(tag_state),
                                  .init = tag_init,
                                  .step = tag_step};

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {.abi = BKS_PLUGIN_ABI, .game = &tag_game};
