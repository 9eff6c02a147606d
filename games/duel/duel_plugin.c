// SPDX-License-Identifier: MIT

// Exports duel as a plug-in.

#include "duel/draw_between.h"
#include "duel/duel.h"
#include "duel/duel_sounds.h"
#include "duel/duel_state.h"

static const bks_control duel_controls[] = {
    BKS_CONTROL_LEFT_X, BKS_CONTROL_LEFT_Y,
    BKS_CONTROL_NONE, // `fire` is made of the four buttons below
};

// Convert a device's controls to the fields. The first of several pressed buttons counts, so that a
// hand that rolls over the buttons keeps firing in one direction.
static void duel_device(const float *control_values, float *raw)
{
    static const bks_control buttons[] = {BKS_CONTROL_NORTH, BKS_CONTROL_EAST, BKS_CONTROL_SOUTH,
                                          BKS_CONTROL_WEST};
    raw[0] = control_values[BKS_CONTROL_LEFT_X];
    raw[1] = control_values[BKS_CONTROL_LEFT_Y];
    raw[2] = (float)DUEL_NONE;
    for (int i = 3; i >= 0; i--) {
        if (control_values[buttons[i]] > 0.5f) {
            raw[2] = (float)(DUEL_NORTH + i);
        }
    }
}

BKS_PLUGIN_EXPORT const bks_plugin bks_plugin_main = {
    .abi = BKS_PLUGIN_ABI,
    .game = &duel_game,
    .about = "ships that shoot paths of their own colour through the other's, 1 to 4 players",
    .keys = "hold a fire button to charge, let go for three shots",
    .draw = duel_draw,
    .is_blended = true,
    .smooth_count = DUEL_SMOOTHS,
    .controls = duel_controls,
    .device = duel_device,
    .score = duel_score,
    .sound_frames = duel_sound_frames,
    .sound_count = DUEL_SOUNDS,
    .make_sound = duel_sound_make,
    .hear = duel_hear,
    .voices = duel_voices,
    .voice_count = DUEL_VOICES,
};
