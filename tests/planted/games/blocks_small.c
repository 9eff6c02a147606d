// SPDX-License-Identifier: MIT

// Small heap blocks are sorted by address.

#define BLOCK_BYTES(i) ((size_t)24)
#include "blocks.h"

PLANTED("blocks_small", blocks_state, .state_bytes = sizeof(blocks_state), .init = blocks_init,
        .step = blocks_step);
