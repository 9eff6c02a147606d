// SPDX-License-Identifier: MIT

// vendored 2d physics, built by its own makefile
typedef struct body { float x, y, vx, vy, angle, spin, mass; } body;
void phys_integrate(body *b, float ax, float ay);
int phys_collide(body *a, body *b, float radius);
void phys_walls(body *b, float w, float h);
