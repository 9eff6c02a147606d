// SPDX-License-Identifier: MIT

// Heap blocks above a page are sorted by address.

#define BLOCK_BYTES(i) ((size_t)5000)
#include "blocks.h"

PLANTED("blocks_pages", blocks_state, .state_bytes = sizeof(blocks_state), .init = blocks_init,
        .step = blocks_step);
