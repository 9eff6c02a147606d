// SPDX-License-Identifier: MIT

#include "screen/window/controls.h"

#include <math.h>

void controls_to_input(const bks_plugin *plugin, const float *controls, int32_t *values)
{
    const bks_game *game = plugin->game;
    float raw[BKS_FIELDS_MAX] = {0};
    for (uint32_t i = 0; i < game->field_count; i++) {
        const bks_control control =
            plugin->controls != NULL ? plugin->controls[i] : BKS_CONTROL_NONE;
        values[i] = game->fields[i].neutral;
        raw[i] = control != BKS_CONTROL_NONE               ? controls[control]
                 : game->fields[i].kind == BKS_FIELD_PLAIN ? (float)game->fields[i].neutral
                                                           : 0.0F;
    }
    if (plugin->controls == NULL && plugin->device == NULL) {
        return;
    }
    if (plugin->device != NULL) {
        plugin->device(controls, raw);
    }
    (void)bks_input_quantise(game->fields, game->field_count, raw, values);
}

uint32_t controls_field(const bks_plugin *plugin, bks_control control)
{
    int32_t neutral[BKS_FIELDS_MAX];
    int32_t values[BKS_FIELDS_MAX];
    float controls[BKS_CONTROL_START + 1] = {0};
    controls_to_input(plugin, controls, neutral);
    controls[control] = 1.0F;
    controls_to_input(plugin, controls, values);
    for (uint32_t i = 0; i < plugin->game->field_count; i++) {
        if (values[i] != neutral[i]) {
            return i;
        }
    }
    return BKS_FIELDS_MAX;
}

uint32_t controls_used(const bks_plugin *plugin)
{
    uint32_t used = 0;
    for (int i = BKS_CONTROL_NONE + 1; i <= BKS_CONTROL_START; i++) {
        used |= controls_field(plugin, (bks_control)i) < BKS_FIELDS_MAX ? 1U << i : 0;
    }
    return used;
}

bool controls_can_aim(const bks_plugin *plugin)
{
    const uint32_t stick = 1U << BKS_CONTROL_RIGHT_X | 1U << BKS_CONTROL_RIGHT_Y;
    return (controls_used(plugin) & stick) != 0;
}

void controls_aim(float x, float y, float width, float height, float *values)
{
    const float reach = 0.25F * (width < height ? width : height);
    const float right = x - width / 2.0F;
    const float down = y - height / 2.0F;
    const float length = sqrtf(right * right + down * down);
    const float scale = length > reach ? length : reach;
    values[BKS_CONTROL_RIGHT_X] = scale > 0.0F ? right / scale : 0.0F;
    values[BKS_CONTROL_RIGHT_Y] = scale > 0.0F ? down / scale : 0.0F;
}
