// SPDX-License-Identifier: MIT

/// @file frame.h
/// Pictures between ticks: what to draw at a moment that is no tick, on a screen of any rate. Asked
/// for by `pictures` of bks_match_config or bks_peer_config, taken by bks_match_frame() or
/// bks_peer_frame(). Nothing of a picture flows back into the state.
///
///     bks_frame frame;
///     bks_match_frame(match, bks_match_now(), &frame);
///     const tag_state *was = frame.before;
///     const tag_state *is = frame.state;
///     draw_ship(bks_blend(was->x, is->x, frame.share, 100.0f), …);
///
/// That draws every kind of picture: where `state` is all there is to draw, `before` is the same.
///
/// Drawing the state extrapolated, on a copy of it: [INVERSUS, Variable Frame Rates]
/// (docs/sources.md).
///
/// Thread rule: as the match.

#ifndef BACKSTITCH_FRAME_H
#define BACKSTITCH_FRAME_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How pictures between ticks are made.
typedef enum bks_pictures {
    BKS_PICTURES_NONE = 0,        ///< of the newest tick alone
    BKS_PICTURES_EXTRAPOLATE = 1, ///< a part of a tick ahead, by the game's `extrapolate`. Shows an
                                  ///< input as soon as its tick is stepped
    BKS_PICTURES_INTERPOLATE = 2, ///< between the two newest ticks, so one tick late: for slow
                                  ///< ticks, and for a game without `extrapolate`
} bks_pictures;

/// What to draw.
typedef struct bks_frame {
    const void *state;  ///< the state: EXTRAPOLATE: moved by `share`. Read only
    const void *before; ///< INTERPOLATE: the state a tick earlier; otherwise `state`. Read only
    float share;       ///< of a tick, 0..1. EXTRAPOLATE: passed since the newest tick; INTERPOLATE:
                       ///< from `before` to `state`. It rests at 1 while no tick can be stepped
    bks_tick tick;     ///< at whose start the newest state is
    bool is_corrected; ///< ticks were stepped again since the last frame, for bks_smooth_show()
} bks_frame;

/// Between two positions: finite ones, whose difference is, too.
/// @param share  0..1; at 1 it is `now`, whatever `before`
/// @param most   what moved by more has jumped, and is drawn where it is now; 0: nothing jumps
BKS_API float bks_blend(float before, float now, float share, float most);

/// Between two angles, the shorter way round: finite ones, whose difference is, too.
/// @param share  0..1; at 1 it is `now`, whatever `before`
/// @param turn   a whole turn in the unit of the angles, such as 360, above 0
/// @return the angle, not brought into any range
BKS_API float bks_blend_angle(float before, float now, float share, float turn);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_FRAME_H
