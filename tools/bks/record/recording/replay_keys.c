// SPDX-License-Identifier: MIT

#include "record/recording/replay_keys.h"
#include "base/tool.h"

#include <inttypes.h>
#include <stdio.h>

/// Keyframes that can be used, with the state at the first tick before them.
typedef struct spacing {
    uint32_t whole;
    bks_tick least; ///< ticks from one to the next, 0 when there is none
    bks_tick most;
    bks_tick seek_max; ///< most ticks that have to be stepped to come to any tick
} spacing;

static spacing spacing_of(const replay_file *file)
{
    const bks_recording *info = file->info;
    spacing s = {0};
    bks_tick last = info->first;
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(file->replay, i, &key) != BKS_OK || !key.is_usable ||
            key.is_wrong) {
            continue;
        }
        const bks_tick ticks = key.tick - last;
        s.whole += key.is_whole;
        s.least = s.least == 0 || ticks < s.least ? ticks : s.least;
        s.most = ticks > s.most ? ticks : s.most;
        last = key.tick;
    }
    // From one to the tick before the next, or to the end.
    const bks_tick rest = info->end - last;
    s.seek_max = s.most - 1 > rest ? s.most - 1 : rest;
    return s;
}

void replay_keys_print(const replay_file *file)
{
    const bks_recording *info = file->info;
    const spacing s = spacing_of(file);
    printf("  keyframes   %" PRIu32, info->keyframes);
    if (s.most > 0) {
        printf(", %" PRIu32 " of them whole, every ", s.whole);
        if (s.least < s.most) {
            printf("%" PRId32 " to ", s.least);
        }
        const double minutes = (double)(info->end - info->first) / (60.0 * info->tick_rate_hz);
        printf("%" PRId32 " tick%s, %.0f bytes a minute", s.most, TOOL_PLURAL(s.most),
               (double)info->keyframe_bytes / minutes);
    }
    printf("; a seek steps at most %" PRId32 " tick%s\n", s.seek_max, TOOL_PLURAL(s.seek_max));
}

void replay_keys_json(json *j, const replay_file *file)
{
    const spacing s = spacing_of(file);
    json_uint(j, "keyframes_whole", s.whole);
    json_int(j, "keyframe_ticks_least", s.least);
    json_int(j, "keyframe_ticks_most", s.most);
    json_int(j, "seek_ticks_max", s.seek_max);
}
