// SPDX-License-Identifier: MIT

#include "phys.h"
void phys_integrate(body *b, float ax, float ay)
{
    b->vx = b->vx * 0.985f + ax * 0.31f;
    b->vy = b->vy * 0.985f + ay * 0.31f;
    b->x += b->vx * 0.73f;
    b->y += b->vy * 0.73f;
    b->spin = b->spin * 0.97f + (ax * b->vy - ay * b->vx) * 0.003f;
    b->angle += b->spin;
}
int phys_collide(body *a, body *b, float radius)
{
    float dx = b->x - a->x, dy = b->y - a->y;
    float d2 = dx * dx + dy * dy;
    if (d2 > 4 * radius * radius || d2 <= 0.0001f) {
        return 0;
    }
    float inv = 1.0f / __builtin_sqrtf(d2);
    float nx = dx * inv, ny = dy * inv;
    float push = ((a->vx - b->vx) * nx + (a->vy - b->vy) * ny) * 0.9f;
    if (push > 0) {
        a->vx -= push * nx; a->vy -= push * ny;
        b->vx += push * nx; b->vy += push * ny;
    }
    return push > 1.5f;
}
void phys_walls(body *b, float w, float h)
{
    if (b->x < 0 || b->x > w) { b->vx = -b->vx * 0.8f; b->x = b->x < 0 ? 0 : w; }
    if (b->y < 0 || b->y > h) { b->vy = -b->vy * 0.8f; b->y = b->y < 0 ? 0 : h; }
}
