/* SE(3) on plain doubles: the types that cross the wire, and the algebra the kernels need.
 *
 * Twists are body twists, linear part first; wrenches likewise (force first). A pose carries a
 * quaternion (x, y, z, w), exactly as messages do; a frame is the same transform with its rotation
 * matrix worked out. Every struct is a row of doubles, so that numpy can share it.
 */
#ifndef HIL_SPATIAL_H
#define HIL_SPATIAL_H

#include <math.h>

typedef struct { double x, y, z; } vec3;
typedef struct { double m[3][3]; } mat3;
typedef struct { double x, y, z, w; } quaternion;
typedef struct { vec3 p; quaternion q; } pose;
typedef struct { mat3 R; vec3 p; } frame;
typedef struct { vec3 v, w; } twist;
typedef struct { vec3 f, n; } wrench;
typedef struct { pose g; twist V, dV; } sample; /* pose, twist, derivative of the twist */

/* Mass, first moment and inertia about the frame's origin: sums of these are composite bodies. */
typedef struct { double mass; vec3 h; mat3 I; } inertia;

static inline vec3 add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
static inline double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec3 rotate(const mat3 *R, vec3 a) {
    return (vec3){R->m[0][0] * a.x + R->m[0][1] * a.y + R->m[0][2] * a.z,
                  R->m[1][0] * a.x + R->m[1][1] * a.y + R->m[1][2] * a.z,
                  R->m[2][0] * a.x + R->m[2][1] * a.y + R->m[2][2] * a.z};
}
static inline vec3 rotate_back(const mat3 *R, vec3 a) {
    return (vec3){R->m[0][0] * a.x + R->m[1][0] * a.y + R->m[2][0] * a.z,
                  R->m[0][1] * a.x + R->m[1][1] * a.y + R->m[2][1] * a.z,
                  R->m[0][2] * a.x + R->m[1][2] * a.y + R->m[2][2] * a.z};
}
static inline mat3 product(const mat3 *A, const mat3 *B) {
    mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
    return C;
}

/* turn about an axis of unit length */
static inline mat3 rotation_about(vec3 a, double angle) {
    const double s = sin(angle), c = cos(angle);
    const vec3 sa = scale(s, a), va = scale(1 - c, a);
    return (mat3){{{c + va.x * a.x, va.x * a.y - sa.z, va.x * a.z + sa.y},
                   {va.x * a.y + sa.z, c + va.y * a.y, va.y * a.z - sa.x},
                   {va.x * a.z - sa.y, va.y * a.z + sa.x, c + va.z * a.z}}};
}

static inline twist twist_add(twist a, twist b) { return (twist){add(a.v, b.v), add(a.w, b.w)}; }
static inline twist twist_sub(twist a, twist b) { return (twist){sub(a.v, b.v), sub(a.w, b.w)}; }
static inline twist twist_scale(double s, twist a) { return (twist){scale(s, a.v), scale(s, a.w)}; }
static inline wrench wrench_add(wrench a, wrench b) { return (wrench){add(a.f, b.f), add(a.n, b.n)}; }
static inline wrench wrench_sub(wrench a, wrench b) { return (wrench){sub(a.f, b.f), sub(a.n, b.n)}; }

/* ad(a) b, the Lie bracket of two twists */
static inline twist bracket(twist a, twist b) {
    return (twist){add(cross(a.w, b.v), cross(a.v, b.w)), cross(a.w, b.w)};
}
/* -ad(a)^T F: how a wrench changes in a frame that moves with a */
static inline wrench bracket_dual(twist a, wrench F) {
    return (wrench){cross(a.w, F.f), add(cross(a.w, F.n), cross(a.v, F.f))};
}

static inline frame frame_of(const pose *g) {
    const double x = g->q.x, y = g->q.y, z = g->q.z, w = g->q.w;
    return (frame){{{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                     {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                     {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}},
                   g->p};
}
/* Ad(g) V and Ad(g^-1) V */
static inline twist act(const frame *g, twist V) {
    const vec3 w = rotate(&g->R, V.w);
    return (twist){add(rotate(&g->R, V.v), cross(g->p, w)), w};
}
static inline twist act_inv(const frame *g, twist V) {
    return (twist){rotate_back(&g->R, sub(V.v, cross(g->p, V.w))), rotate_back(&g->R, V.w)};
}
static inline wrench wrench_act(const frame *g, wrench F) {
    const vec3 f = rotate(&g->R, F.f);
    return (wrench){f, add(rotate(&g->R, F.n), cross(g->p, f))};
}
static inline wrench wrench_act_inv(const frame *g, wrench F) {
    return (wrench){rotate_back(&g->R, F.f), rotate_back(&g->R, sub(F.n, cross(g->p, F.f)))};
}

/* d/dt (Ad(g^-1) V_n) = Ad(g^-1) dV_n - ad(V) Ad(g^-1) V_n, the rate of Delta V in (7) and (15) */
static inline twist transported_rate(const frame *g, twist V, const sample *nominal) {
    return twist_sub(act_inv(g, nominal->dV), bracket(V, act_inv(g, nominal->V)));
}

static inline quaternion quaternion_product(quaternion a, quaternion b) {
    return (quaternion){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline quaternion normalised(quaternion q) {
    const double s = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (quaternion){s * q.x, s * q.y, s * q.z, s * q.w};
}
static inline pose pose_product(const pose *a, const pose *b) {
    const frame A = frame_of(a);
    return (pose){add(a->p, rotate(&A.R, b->p)), normalised(quaternion_product(a->q, b->q))};
}

/* exp of a twist. Below 0.2 rad, which is every step of a facility, the series is exact to the last
 * digits where the closed form cancels. */
static inline pose pose_exp(twist u) {
    const double t2 = dot(u.w, u.w);
    double half_sinc, half_cos, b, c; /* sin(t/2)/t, cos(t/2), (1-cos t)/t^2, (t-sin t)/t^3 */
    if (t2 < 0.04) {
        half_sinc = 1. / 2 - t2 * (1. / 48 - t2 * (1. / 3840 - t2 * (1. / 645120 - t2 / 185794560)));
        half_cos = 1. - t2 * (1. / 8 - t2 * (1. / 384 - t2 * (1. / 46080 - t2 / 10321920)));
        b = 1. / 2 - t2 * (1. / 24 - t2 * (1. / 720 - t2 * (1. / 40320 - t2 * (1. / 3628800 - t2 / 479001600))));
        c = 1. / 6 - t2 * (1. / 120 - t2 * (1. / 5040 - t2 * (1. / 362880 - t2 * (1. / 39916800 - t2 / 6227020800.))));
    } else {
        const double t = sqrt(t2);
        half_sinc = sin(0.5 * t) / t;
        half_cos = cos(0.5 * t);
        b = (1 - cos(t)) / t2;
        c = (t - sin(t)) / (t2 * t);
    }
    const vec3 wv = cross(u.w, u.v);
    return (pose){add(u.v, add(scale(b, wv), scale(c, cross(u.w, wv)))),
                  {half_sinc * u.w.x, half_sinc * u.w.y, half_sinc * u.w.z, half_cos}};
}
static inline pose pose_advance(const pose *g, twist u) {
    const pose step = pose_exp(u);
    return pose_product(g, &step);
}

static inline pose pose_inverse(const pose *g) {
    const frame G = frame_of(g);
    return (pose){scale(-1.0, rotate_back(&G.R, g->p)), {-g->q.x, -g->q.y, -g->q.z, g->q.w}};
}
/* the twist whose exp is g, with the angle in [0, pi] */
static inline twist pose_log(const pose *g) {
    const double sign = g->q.w < 0 ? -1.0 : 1.0;
    const vec3 u = scale(sign, (vec3){g->q.x, g->q.y, g->q.z});
    const double s2 = dot(u, u), s = sqrt(s2), half = atan2(s, sign * g->q.w);
    const vec3 w = scale(s2 < 1e-16 ? 2.0 : 2.0 * half / s, u);
    const double t2 = dot(w, w);
    /* (1 - (t/2) cot(t/2)) / t^2 */
    const double e = t2 < 0.04 ? 1. / 12 + t2 * (1. / 720 + t2 * (1. / 30240 + t2 / 1209600))
                               : (1.0 - half * cos(half) / sin(half)) / t2;
    const vec3 wp = cross(w, g->p);
    return (twist){add(g->p, add(scale(-0.5, wp), scale(e, cross(w, wp)))), w};
}

/* M V, the momentum of a body */
static inline wrench momentum(const inertia *M, twist V) {
    return (wrench){sub(scale(M->mass, V.v), cross(M->h, V.w)), add(rotate(&M->I, V.w), cross(M->h, V.v))};
}

/* M^-1 F, by moving the wrench to the centre of mass */
static inline twist inertia_solve(const inertia *M, wrench F) {
    const vec3 c = scale(1.0 / M->mass, M->h);
    const double cc = dot(c, c), *k = &c.x;
    double J[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) J[i][j] = M->I.m[i][j] - M->mass * ((i == j) * cc - k[i] * k[j]);
    const double xx = J[1][1] * J[2][2] - J[1][2] * J[1][2], xy = J[0][2] * J[1][2] - J[0][1] * J[2][2],
                 xz = J[0][1] * J[1][2] - J[0][2] * J[1][1], yy = J[0][0] * J[2][2] - J[0][2] * J[0][2],
                 yz = J[0][1] * J[0][2] - J[0][0] * J[1][2], zz = J[0][0] * J[1][1] - J[0][1] * J[0][1];
    const double s = 1.0 / (J[0][0] * xx + J[0][1] * xy + J[0][2] * xz);
    const vec3 n = sub(F.n, cross(c, F.f));
    const vec3 w = {s * (xx * n.x + xy * n.y + xz * n.z), s * (xy * n.x + yy * n.y + yz * n.z),
                    s * (xz * n.x + yz * n.y + zz * n.z)};
    return (twist){add(scale(1.0 / M->mass, F.f), cross(c, w)), w};
}

/* the inertia of `b`, seen from the frame in which `b` sits at X, added to `sum` */
static inline void inertia_add_moved(inertia *sum, const frame *X, const inertia *b) {
    const vec3 Rh = rotate(&X->R, b->h), h = add(Rh, scale(b->mass, X->p)), p = X->p;
    const mat3 RI = product(&X->R, &b->I);
    const double ph = 2 * dot(p, Rh) + b->mass * dot(p, p), *P = &p.x, *H = &Rh.x;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const double *r = X->R.m[j];
            sum->I.m[i][j] += RI.m[i][0] * r[0] + RI.m[i][1] * r[1] + RI.m[i][2] * r[2] + (i == j) * ph -
                              P[i] * H[j] - H[i] * P[j] - b->mass * P[i] * P[j];
            sum->I.m[j][i] = sum->I.m[i][j];
        }
    sum->mass += b->mass;
    sum->h = add(sum->h, h);
}

/* acceleration of a rigid body, (2): M dV + V x* (M V) = F */
static inline twist rigid_acceleration(const inertia *M, twist V, wrench F) {
    return inertia_solve(M, wrench_sub(F, bracket_dual(V, momentum(M, V))));
}

#endif
