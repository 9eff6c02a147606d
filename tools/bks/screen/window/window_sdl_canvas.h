// SPDX-License-Identifier: MIT

/// @file window_sdl_canvas.h
/// A canvas on an SDL renderer. Shapes become triangles, which are passed on in as few calls as the
/// drawing order allows. Slanted edges fade out over a pixel, so they look smooth.

#ifndef BKS_TOOL_WINDOW_SDL_CANVAS_H
#define BKS_TOOL_WINDOW_SDL_CANVAS_H

#include <SDL.h>

#include "backstitch/plugin.h"
#include "screen/window/font.h"

/// Number of text sizes whose glyphs are kept in textures.
enum { SDL_CANVAS_FACES = 6 };

/// A text size with its glyphs in a texture.
typedef struct sdl_face {
    font_face face;
    SDL_Texture *texture;       ///< texture with the size's glyphs, 16 in a row
    bool is_there[FONT_GLYPHS]; ///< by glyph: true if the texture has the glyph
} sdl_face;

/// The canvas. Start from {.renderer = …}.
typedef struct sdl_canvas {
    SDL_Renderer *renderer;
    SDL_Vertex *vertices;
    int *indices;
    int vertex_count;
    int vertex_capacity;
    int index_count;
    int index_capacity;
    SDL_Texture *texture; ///< texture of the gathered triangles, NULL for plain colour
    sdl_face faces[SDL_CANVAS_FACES];
    uint32_t next_face;
} sdl_canvas;

/// Begin a picture: return a canvas of the renderer's present size.
bks_canvas sdl_canvas_begin(sdl_canvas *canvas);

/// Pass the gathered triangles to the renderer.
void sdl_canvas_flush(sdl_canvas *canvas);

/// Release the canvas, not the renderer.
void sdl_canvas_close(sdl_canvas *canvas);

#endif
