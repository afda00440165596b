/* One rigid body: the nominal motion (4), the client (2) with its image in the laboratory (11),
 * the relative mapping (23), and motion between two samples. */
#include "lie_rk4.h"

/* ---- nominal, (4): M_t dV_n + C_t(V_n) V_n = 0 ---- */

static void unforced(const void *context, int point, const lie_state *y, lie_rate *rate) {
    (void)point;
    rate->V[0] = y->x[0];
    rate->dx[0] = rigid_acceleration(context, y->x[0], (wrench){{0, 0, 0}, {0, 0, 0}});
}

/* Three samples, at the start, middle and end of a step: RK4 needs the middle one. points[0] holds the
 * start on entry. */
void nominal_points(const inertia *body, sample points[3], double h) {
    lie_state y;
    lie_rate rate;
    y.g[0] = points[0].g;
    y.x[0] = points[0].V;
    for (int i = 0; i < 3; i++) {
        if (i) lie_rk4(unforced, body, &rate, &y, 1, h / 2);
        unforced(body, i, &y, &rate);
        points[i] = (sample){y.g[0], y.x[0], rate.dx[0]};
    }
}

/* ---- client, (2) and (11) ---- */

typedef struct {
    inertia body;
    sample nominal[3];
    wrench F;       /* on the client, in its body frame, held over the step */
    lie_state y;    /* g_t, g_c, V_t, V_c */
    sample simulated[2], commanded[2]; /* orbit and laboratory, at the start and the end of the step */
} client;

static void client_law(const void *context, int point, const lie_state *y, lie_rate *rate) {
    const client *c = context;
    const frame g_c = frame_of(&y->g[1]);
    rate->V[0] = y->x[0];
    rate->V[1] = y->x[1];
    rate->dx[0] = rigid_acceleration(&c->body, y->x[0], c->F);
    /* (11) is (2) seen from the nominal: its Coriolis term is the one of the orbit, C_t(V_t) V_t */
    rate->dx[1] = twist_sub(rate->dx[0], transported_rate(&g_c, y->x[1], &c->nominal[point]));
}

static void evaluate(client *c, int end, lie_rate *rate) {
    client_law(c, 2 * end, &c->y, rate);
    c->simulated[end] = (sample){c->y.g[0], c->y.x[0], rate->dx[0]};
    c->commanded[end] = (sample){c->y.g[1], c->y.x[1], rate->dx[1]};
}

/* One step of (2) and (11); with h = 0 only the start is evaluated: that is the derivative. */
void client_step(client *c, double h) {
    lie_rate rate;
    evaluate(c, 0, &rate);
    if (!(h > 0.0)) return;
    lie_rk4(client_law, c, &rate, &c->y, BODIES, h);
    evaluate(c, 1, &rate);
}

/* ---- relative mapping, (23): measured motion in the laboratory to absolute motion in orbit ---- */

typedef struct {
    sample nominal, measured[BODIES], absolute[BODIES]; /* client and servicer */
} mapping;

void map_to_orbit(mapping *map) {
    const sample *nominal = &map->nominal;
    for (int i = 0; i < BODIES; i++) {
        const sample *m = &map->measured[i];
        const frame g = frame_of(&m->g);
        map->absolute[i] = (sample){pose_product(&nominal->g, &m->g), twist_add(m->V, act_inv(&g, nominal->V)),
                                    twist_add(m->dV, transported_rate(&g, m->V, nominal))};
    }
}

/* ---- between the two points of a step ---- */

/* The start is carried on by its twist and acceleration; what that misses at the end is faded in with the third
 * power of time, so that both points are met. */
void motion_between(const sample points[2], sample *result, double fraction, double period) {
    const sample *a = &points[0], *b = &points[1];
    const double t = fraction * period, rest = 1.0 - fraction;
    const pose whole = pose_advance(&a->g, twist_add(twist_scale(period, a->V), twist_scale(0.5 * period * period, a->dV)));
    const pose back = pose_inverse(&whole), gap = pose_product(&back, &b->g);
    const pose part = pose_advance(&a->g, twist_add(twist_scale(t, a->V), twist_scale(0.5 * t * t, a->dV)));
    result->g = pose_advance(&part, twist_scale(fraction * fraction * fraction, pose_log(&gap)));
    result->V = twist_add(twist_scale(rest, a->V), twist_scale(fraction, b->V));
    result->dV = twist_add(twist_scale(rest, a->dV), twist_scale(fraction, b->dV));
}
