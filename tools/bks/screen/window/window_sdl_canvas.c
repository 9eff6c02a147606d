// SPDX-License-Identifier: MIT

#include "screen/window/window_sdl_canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/window/canvas.h"

enum {
    CIRCLE_POINTS_MAX = 48,
    GLYPHS_IN_ROW = 16,
};

static const float FEATHER_PX = 0.5F; // width by which an edge fades out on either side
static const float TWO_PI = 6.28318531F;

static SDL_Color to_sdl(bks_colour colour)
{
    return (SDL_Color){(Uint8)(colour >> 24), (Uint8)(colour >> 16), (Uint8)(colour >> 8),
                       (Uint8)colour};
}

void sdl_canvas_flush(sdl_canvas *canvas)
{
    if (canvas->index_count > 0) {
        (void)SDL_RenderGeometry(canvas->renderer, canvas->texture, canvas->vertices,
                                 canvas->vertex_count, canvas->indices, canvas->index_count);
    }
    canvas->vertex_count = 0;
    canvas->index_count = 0;
}

// Make room for vertices and indices, and switch to a texture.
static bool reserve(sdl_canvas *canvas, SDL_Texture *texture, int vertices, int indices)
{
    if (canvas->texture != texture) {
        sdl_canvas_flush(canvas);
        canvas->texture = texture;
    }
    if (canvas->vertex_count + vertices > canvas->vertex_capacity) {
        const int capacity = 2 * (canvas->vertex_count + vertices) + 1024;
        SDL_Vertex *larger =
            realloc(canvas->vertices, (size_t)capacity * sizeof(*canvas->vertices));
        if (larger == NULL) {
            return false;
        }
        canvas->vertices = larger;
        canvas->vertex_capacity = capacity;
    }
    if (canvas->index_count + indices > canvas->index_capacity) {
        const int capacity = 2 * (canvas->index_count + indices) + 1024;
        int *larger = realloc(canvas->indices, (size_t)capacity * sizeof(*canvas->indices));
        if (larger == NULL) {
            return false;
        }
        canvas->indices = larger;
        canvas->index_capacity = capacity;
    }
    return true;
}

static void put_vertex(sdl_canvas *canvas, float x, float y, SDL_Color colour, float u, float v)
{
    canvas->vertices[canvas->vertex_count++] =
        (SDL_Vertex){.position = {x, y}, .color = colour, .tex_coord = {u, v}};
}

static void put_triangle(sdl_canvas *canvas, int a, int b, int c)
{
    canvas->indices[canvas->index_count++] = a;
    canvas->indices[canvas->index_count++] = b;
    canvas->indices[canvas->index_count++] = c;
}

static void clear(void *context, bks_colour colour)
{
    sdl_canvas *canvas = context;
    canvas->vertex_count = 0;
    canvas->index_count = 0;
    const SDL_Color ink = to_sdl(colour);
    (void)SDL_SetRenderDrawColor(canvas->renderer, ink.r, ink.g, ink.b, 255);
    (void)SDL_RenderClear(canvas->renderer);
}

static void put_quad(sdl_canvas *canvas, SDL_Texture *texture, const SDL_FRect *to,
                     const SDL_FRect *from, SDL_Color colour)
{
    if (!reserve(canvas, texture, 4, 6)) {
        return;
    }
    const int first = canvas->vertex_count;
    put_vertex(canvas, to->x, to->y, colour, from->x, from->y);
    put_vertex(canvas, to->x + to->w, to->y, colour, from->x + from->w, from->y);
    put_vertex(canvas, to->x + to->w, to->y + to->h, colour, from->x + from->w, from->y + from->h);
    put_vertex(canvas, to->x, to->y + to->h, colour, from->x, from->y + from->h);
    put_triangle(canvas, first, first + 1, first + 2);
    put_triangle(canvas, first, first + 2, first + 3);
}

static void rectangle(void *context, float x, float y, float width, float height, bks_colour colour)
{
    if (width > 0.0F && height > 0.0F) {
        const SDL_FRect to = {x, y, width, height};
        const SDL_FRect from = {0};
        put_quad(context, NULL, &to, &from, to_sdl(colour));
    }
}

// Return twice the area of a polygon: positive if its points run clockwise on the screen, where y
// grows downwards, else negative.
static float signed_area(const float *points, uint32_t count)
{
    float area = 0.0F;
    for (size_t i = 0; i < count; i++) {
        const float *a = &points[2 * i];
        const float *b = &points[2 * ((i + 1) % count)];
        area += a[0] * b[1] - b[0] * a[1];
    }
    return area;
}

// Compute the vector by which a corner moves if both its edges move outwards by one.
static void corner_step(const float *points, uint32_t count, size_t at, float turn, float step[2])
{
    const float *before = &points[2 * ((at + count - 1) % count)];
    const float *here = &points[2 * at];
    const float *after = &points[2 * ((at + 1) % count)];
    float in[2] = {here[0] - before[0], here[1] - before[1]};
    float out[2] = {after[0] - here[0], after[1] - here[1]};
    const float in_length = hypotf(in[0], in[1]);
    const float out_length = hypotf(out[0], out[1]);
    if (!(in_length > 0.0F) || !(out_length > 0.0F)) {
        step[0] = 0.0F;
        step[1] = 0.0F;
        return;
    }
    const float nx = turn * (in[1] / in_length + out[1] / out_length);
    const float ny = -turn * (in[0] / in_length + out[0] / out_length);
    const float length2 = nx * nx + ny * ny;
    // Limit the length of the vector, which has no bound at sharp corners.
    const float scale = 2.0F / (length2 > 0.5F ? length2 : 0.5F);
    step[0] = nx * scale;
    step[1] = ny * scale;
}

// Add a convex shape to the gathered triangles: an inside of full colour, and a rim that fades out.
static void put_convex(sdl_canvas *canvas, const float *points, uint32_t count, bks_colour colour)
{
    if (!reserve(canvas, NULL, (int)(2 * count), (int)(9 * count))) {
        return;
    }
    const SDL_Color ink = to_sdl(colour);
    SDL_Color faded = ink;
    faded.a = 0;
    const float turn = signed_area(points, count) < 0.0F ? -1.0F : 1.0F;
    const int first = canvas->vertex_count;
    for (size_t i = 0; i < count; i++) {
        float step[2];
        corner_step(points, count, i, turn, step);
        const float x = points[2 * i];
        const float y = points[2 * i + 1];
        put_vertex(canvas, x - FEATHER_PX * step[0], y - FEATHER_PX * step[1], ink, 0, 0);
        put_vertex(canvas, x + FEATHER_PX * step[0], y + FEATHER_PX * step[1], faded, 0, 0);
    }
    for (int i = 0; i < (int)count; i++) {
        const int here = first + 2 * i;
        const int next = first + 2 * ((i + 1) % (int)count);
        if (i >= 2) {
            put_triangle(canvas, first, here - 2, here);
        }
        put_triangle(canvas, here, here + 1, next + 1);
        put_triangle(canvas, here, next + 1, next);
    }
}

static void polygon(void *context, const float *points, uint32_t count, bks_colour colour)
{
    if (count >= 3 && count <= CANVAS_POINTS_MAX) {
        put_convex(context, points, count, colour);
    }
}

static void line(void *context, float x0, float y0, float x1, float y1, float width,
                 bks_colour colour)
{
    float corners[8];
    if (width < 1.0F) { // a line thinner than a pixel is drawn fainter
        colour = (colour & 0xFFFFFF00U) | (bks_colour)((float)(colour & 0xFF) * width);
        width = 1.0F;
    }
    if (canvas_line_corners(x0, y0, x1, y1, width, corners)) {
        put_convex(context, corners, 4, colour);
    }
}

static void circle(void *context, float x, float y, float radius, bks_colour colour)
{
    if (!(radius > 0.0F)) {
        return;
    }
    const float wanted = 8.0F + radius;
    const uint32_t count = wanted < CIRCLE_POINTS_MAX ? (uint32_t)wanted : CIRCLE_POINTS_MAX;
    float points[2 * CIRCLE_POINTS_MAX];
    for (size_t i = 0; i < count; i++) {
        const float angle = TWO_PI * (float)i / (float)count;
        points[2 * i] = x + radius * cosf(angle);
        points[2 * i + 1] = y + radius * sinf(angle);
    }
    put_convex(context, points, count, colour);
}

static sdl_face *find_face(sdl_canvas *canvas, uint32_t size_px)
{
    for (uint32_t i = 0; i < SDL_CANVAS_FACES; i++) {
        if (canvas->faces[i].face.size_px == size_px) {
            return &canvas->faces[i];
        }
    }
    sdl_face *face = &canvas->faces[canvas->next_face];
    canvas->next_face = (canvas->next_face + 1) % SDL_CANVAS_FACES;
    // Draw the gathered triangles first, because they may use the texture that is replaced now.
    sdl_canvas_flush(canvas);
    if (face->texture != NULL) {
        SDL_DestroyTexture(face->texture);
    }
    canvas->texture = NULL;
    memset(face->is_there, 0, sizeof(face->is_there));
    face->texture = NULL;
    if (!font_face_open(&face->face, size_px)) {
        return NULL;
    }
    const int rows = (FONT_GLYPHS + GLYPHS_IN_ROW - 1) / GLYPHS_IN_ROW;
    face->texture = SDL_CreateTexture(
        canvas->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STATIC,
        GLYPHS_IN_ROW * (int)face->face.cell_width_px, rows * (int)face->face.cell_height_px);
    if (face->texture == NULL) {
        font_face_close(&face->face);
        return NULL;
    }
    (void)SDL_SetTextureBlendMode(face->texture, SDL_BLENDMODE_BLEND);
    return face;
}

static SDL_Rect glyph_place(const sdl_face *face, uint32_t glyph)
{
    const int width = (int)face->face.cell_width_px;
    const int height = (int)face->face.cell_height_px;
    return (SDL_Rect){(int)(glyph % GLYPHS_IN_ROW) * width, (int)(glyph / GLYPHS_IN_ROW) * height,
                      width, height};
}

static void upload_glyph(sdl_face *face, uint32_t glyph)
{
    if (face->is_there[glyph]) {
        return;
    }
    const SDL_Rect place = glyph_place(face, glyph);
    const size_t count = (size_t)place.w * (size_t)place.h;
    const uint8_t *mask = font_mask(&face->face, glyph);
    Uint32 *pixels = malloc(count * sizeof(*pixels));
    if (pixels == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        pixels[i] = (Uint32)mask[i] << 24 | 0xFFFFFFU;
    }
    (void)SDL_UpdateTexture(face->texture, &place, pixels, place.w * 4);
    free(pixels);
    face->is_there[glyph] = true;
}

static void text(void *context, float x, float y, float size, bks_colour colour, const char *words)
{
    sdl_canvas *canvas = context;
    const uint32_t size_px = canvas_text_px(size);
    sdl_face *face = find_face(canvas, size_px);
    if (face == NULL) {
        return;
    }
    int texture_width = 1;
    int texture_height = 1;
    (void)SDL_QueryTexture(face->texture, NULL, NULL, &texture_width, &texture_height);
    float pen = floorf(x + 0.5F);
    for (; *words != '\0'; words++) {
        const uint32_t glyph = font_glyph(*words);
        upload_glyph(face, glyph);
        const SDL_Rect place = glyph_place(face, glyph);
        const SDL_FRect from = {
            (float)place.x / (float)texture_width, (float)place.y / (float)texture_height,
            (float)place.w / (float)texture_width, (float)place.h / (float)texture_height};
        const SDL_FRect to = {pen, floorf(y + 0.5F), (float)place.w, (float)place.h};
        put_quad(canvas, face->texture, &to, &from, to_sdl(colour));
        pen += (float)font_advance_px(size_px, *words);
    }
}

bks_canvas sdl_canvas_begin(sdl_canvas *canvas)
{
    int width = 1;
    int height = 1;
    (void)SDL_GetRendererOutputSize(canvas->renderer, &width, &height);
    (void)SDL_SetRenderDrawBlendMode(canvas->renderer, SDL_BLENDMODE_BLEND);
    return (bks_canvas){
        .width = (float)(width > 0 ? width : 1),
        .height = (float)(height > 0 ? height : 1),
        .context = canvas,
        .clear = clear,
        .rectangle = rectangle,
        .polygon = polygon,
        .line = line,
        .circle = circle,
        .text = text,
        .text_width = canvas_text_width,
    };
}

void sdl_canvas_close(sdl_canvas *canvas)
{
    for (uint32_t i = 0; i < SDL_CANVAS_FACES; i++) {
        font_face_close(&canvas->faces[i].face);
        if (canvas->faces[i].texture != NULL) {
            SDL_DestroyTexture(canvas->faces[i].texture);
        }
    }
    free(canvas->vertices);
    free(canvas->indices);
    *canvas = (sdl_canvas){0};
}
