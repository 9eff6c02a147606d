// SPDX-License-Identifier: MIT

// Heap blocks of several sizes are sorted by address.

#define BLOCK_BYTES(i) (24 + (size_t)100 * (i))
#include "blocks.h"

PLANTED("blocks_mixed", blocks_state, .state_bytes = sizeof(blocks_state), .init = blocks_init,
        .step = blocks_step);
