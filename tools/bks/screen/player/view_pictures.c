// SPDX-License-Identifier: MIT

#include "screen/player/view_pictures.h"

#include <stdlib.h>

static bool can_be_copied(const bks_plugin *plugin)
{
    return plugin->draw != NULL && plugin->game->create == NULL && !plugin->game->pointers;
}

bool view_pictures_interpolate(const bks_plugin *plugin)
{
    return plugin->is_blended && can_be_copied(plugin);
}

bks_pictures view_pictures_kind(const bks_plugin *plugin)
{
    return plugin->game->extrapolate != NULL && can_be_copied(plugin) ? BKS_PICTURES_EXTRAPOLATE
           : view_pictures_interpolate(plugin)                        ? BKS_PICTURES_INTERPOLATE
                                                                      : BKS_PICTURES_NONE;
}

bool view_pictures_open(view_pictures *pictures, const bks_plugin *plugin)
{
    const uint32_t count = plugin->smooth_count; // the loader has looked at it
    pictures->smooths = count > 0 ? calloc(count, sizeof(*pictures->smooths)) : NULL;
    return count == 0 || pictures->smooths != NULL;
}

void view_pictures_close(view_pictures *pictures)
{
    free(pictures->smooths);
    *pictures = (view_pictures){0};
}

bks_picture view_pictures_of(view_pictures *pictures, const bks_frame *frame, uint64_t now_ns)
{
    return (bks_picture){.frame = *frame, .smooths = pictures->smooths, .now_ns = now_ns};
}
