// SPDX-License-Identifier: MIT

// Heap blocks that the C library maps are sorted by address.

#define BLOCK_BYTES(i) ((size_t)200000)
#include "blocks.h"

PLANTED("blocks_mapped", blocks_state, .state_bytes = sizeof(blocks_state), .init = blocks_init,
        .step = blocks_step);
