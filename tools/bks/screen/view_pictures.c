// SPDX-License-Identifier: MIT

#include "screen/view_pictures.h"

#include <stdlib.h>

bks_pictures view_pictures_kind(const bks_plugin *plugin)
{
    const bks_game *game = plugin->game;
    if (plugin->draw == NULL || game->create != NULL || game->pointers) {
        return BKS_PICTURES_NONE; // a copy of its state could not be drawn
    }
    return game->extrapolate != NULL ? BKS_PICTURES_EXTRAPOLATE
           : plugin->is_blended      ? BKS_PICTURES_INTERPOLATE
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
