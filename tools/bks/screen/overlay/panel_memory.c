// SPDX-License-Identifier: MIT

#include "screen/overlay/panel_memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "backstitch/state.h"

/// What lies behind them is summed up.
enum { PARTS_MAX = 64, POOLS_SHOWN = 16 };

static void format_bytes(char out[24], uint64_t bytes)
{
    if (bytes < 10000) {
        snprintf(out, 24, "%" PRIu64 " B", bytes);
    } else if (bytes < UINT64_C(10000000)) {
        snprintf(out, 24, "%.1f kB", (double)bytes / 1e3);
    } else {
        snprintf(out, 24, "%.1f MB", (double)bytes / 1e6);
    }
}

static void draw_pool(panel *p, const bks_memory_part *part)
{
    char texts[PANEL_PART_TEXTS][24] = {"", "", ""};
    const char *const shown[] = {texts[0], texts[1], texts[2]};
    const float most = part->capacity > 0 ? (float)part->capacity : 1.0F;
    const float share = (float)part->live / most;
    const float mark = (float)part->high_water / most;
    snprintf(texts[0], sizeof(texts[0]), "%" PRIu32 " of %" PRIu32, part->live, part->capacity);
    snprintf(texts[1], sizeof(texts[1]), "%" PRIu32, part->high_water);
    if (part->leaked > 0) {
        snprintf(texts[2], sizeof(texts[2]), "%" PRIu32, part->leaked);
    }
    const panel_bar bar = {share < 1.0F ? share : 1.0F, mark < 1.0F ? mark : 1.0F};
    panel_part(p, 2, part->name, shown, &bar);
}

static void draw_bytes(panel *p, uint32_t depth, const char *name, uint64_t bytes)
{
    char text[24];
    format_bytes(text, bytes);
    panel_part(p, depth, name, (const char *const[]){text, "", ""}, NULL);
}

static uint64_t sum_of(const bks_memory_part *parts, uint32_t count, bks_memory_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += parts[i].kind == kind ? parts[i].bytes : 0;
    }
    return sum;
}

// The arena's memory is never given back: what is in use is its high water too.
static void draw_head(panel *p, const char *name, uint32_t depth, uint64_t used, uint64_t all)
{
    char in_use[24];
    char whole[24];
    char text[64];
    format_bytes(in_use, used);
    format_bytes(whole, all);
    snprintf(text, sizeof(text), "%s of %s", in_use, whole);
    const float share = all > 0 ? (float)used / (float)all : 0.0F;
    const panel_bar bar = {share, share};
    panel_part(p, depth, name, (const char *const[]){text, "", ""}, &bar);
}

static void draw_pools(panel *p, const bks_memory_part *parts, uint32_t count, uint32_t there)
{
    uint32_t pools = 0;
    uint64_t more_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].kind != BKS_MEMORY_POOL) {
            continue;
        }
        if (pools++ < POOLS_SHOWN) {
            draw_pool(p, &parts[i]);
        } else {
            more_bytes += parts[i].bytes;
        }
    }
    if (more_bytes > 0 || there > count) {
        char name[40];
        snprintf(name, sizeof(name), "%s%" PRIu32 " more", there > count ? "over " : "",
                 pools > POOLS_SHOWN ? pools - POOLS_SHOWN : 0);
        draw_bytes(p, 2, name, more_bytes);
    }
}

void panel_memory(panel *p, const void *state, size_t count, size_t root_bytes)
{
    bks_memory_part parts[PARTS_MAX];
    const uint32_t there = bks_state_memory(state, count, root_bytes, parts, PARTS_MAX);
    const uint32_t known = there < PARTS_MAX ? there : PARTS_MAX;
    uint64_t listed = 0;
    for (uint32_t i = 0; i < known; i++) {
        listed += parts[i].bytes;
    }
    const uint64_t unused = sum_of(parts, known, BKS_MEMORY_FREE);
    const uint64_t root = sum_of(parts, known, BKS_MEMORY_ROOT);
    panel_part_title(p, "memory of the state", (const char *const[]){"", "most", "grown"});
    draw_head(p, "state", 0, count - unused, count);
    draw_bytes(p, 1, "root", root);
    if (there > 1) {
        draw_head(p, "arena", 1, count - unused - root, count - root);
        draw_bytes(p, 2, "blocks",
                   sum_of(parts, known, BKS_MEMORY_BLOCKS) + ((uint64_t)count - listed));
        draw_pools(p, parts, known, there);
    }
}
