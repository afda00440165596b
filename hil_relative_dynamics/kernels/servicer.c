/* The servicer: base row of (12) in orbit (13) and in the laboratory (18), in two forms, and the torque
 * (22) that makes the arm on the ground feel the orbit. */
#include "lie_rk4.h"
#include "multibody.h"

typedef struct {
    sample nominal[3];
    wrench F_b;        /* thrusters, on the base, in its frame; held over the step */
    wrench F_e;        /* on the end-effector, in its frame; held over the step */
    double momentum_form;
    lie_state y;       /* g_b, g_s, and V_b, V_s (acceleration form) or the momentum, in the inertial frame */
    sample simulated[2], commanded[2]; /* orbit and laboratory, at the start and the end of the step */
} servicer;

/* What the base row needs to know of the arm at one instant */
typedef struct {
    inertia M_b;
    wrench F;      /* F_b + J_b^T F_e */
    wrench M_bq_dq; /* momentum form only */
} arm_effect;

typedef struct {
    const multibody *m;
    const servicer *s;
    const double *joints; /* q, dq, ddq at the start of the step */
    double h;
    const arm_effect *arm; /* at the start, middle and end */
    const frame *X;        /* joint placements there */
    const double *dq;      /* joint rates there */
} step_context;

/* The joints a time t after they were measured, with the acceleration from before. */
static void extrapolate(int n, const double *joints, double t, double *q, double *dq) {
    for (int i = 0; i < n; i++) {
        const double rate = joints[n + i], acceleration = joints[2 * n + i];
        q[i] = joints[i] + t * (rate + 0.5 * t * acceleration);
        dq[i] = rate + t * acceleration;
    }
}

static void look_at_arm(const multibody *m, const servicer *s, const double *q, const double *dq, frame *X,
                        arm_effect *effect) {
    const int n = joint_count(m);
    inertia Y[n + 1];
    place_joints(m, q, X);
    effect->M_b = composite(m, X, Y);
    effect->F = wrench_add(s->F_b, tip_wrench_at_base(m, X, s->F_e));
    if (s->momentum_form != 0.0) effect->M_bq_dq = joint_momentum(m, X, Y, dq);
}

/* (13): M_b dV_b = F_b + J_b^T F_e - M_bq ddq - C_b V_b - C_bq dq */
static twist base_acceleration(const step_context *c, int point, twist V_b) {
    const int n = joint_count(c->m);
    const twist none = {{0, 0, 0}, {0, 0, 0}};
    const double *dq = c->dq + point * n, *ddq = c->joints + 2 * n;
    const wrench bias = inverse_dynamics(c->m, c->X + point * n, none, ddq, V_b, dq, 0, 0);
    return inertia_solve(&c->arm[point].M_b, wrench_sub(c->arm[point].F, bias));
}

/* V_b from the momentum: no acceleration of the joints is needed, and none can be wrong */
static twist base_twist(const arm_effect *arm, const frame *g_b, twist momentum_world) {
    const wrench total = wrench_act_inv(g_b, (wrench){momentum_world.v, momentum_world.w});
    return inertia_solve(&arm->M_b, wrench_sub(total, arm->M_bq_dq));
}

static void acceleration_law(const void *context, int point, const lie_state *y, lie_rate *rate) {
    const step_context *c = context;
    const frame g_s = frame_of(&y->g[1]);
    rate->V[0] = y->x[0];
    rate->V[1] = y->x[1];
    rate->dx[0] = base_acceleration(c, point, y->x[0]);
    rate->dx[1] = twist_sub(rate->dx[0], transported_rate(&g_s, y->x[1], &c->s->nominal[point])); /* (18) */
}

static void momentum_law(const void *context, int point, const lie_state *y, lie_rate *rate) {
    const step_context *c = context;
    const frame g_b = frame_of(&y->g[0]), g_s = frame_of(&y->g[1]);
    const wrench F = wrench_act(&g_b, c->arm[point].F);
    rate->V[0] = base_twist(&c->arm[point], &g_b, y->x[0]);
    rate->V[1] = twist_sub(rate->V[0], act_inv(&g_s, c->s->nominal[point].V)); /* (15) */
    rate->dx[0] = (twist){F.f, F.n};
    rate->dx[1] = (twist){{0, 0, 0}, {0, 0, 0}};
}

static void evaluate(const step_context *c, int point, const lie_state *y, lie_rate *rate, sample *simulated,
                     sample *commanded) {
    const frame g_s = frame_of(&y->g[1]);
    (c->s->momentum_form != 0.0 ? momentum_law : acceleration_law)(c, point, y, rate);
    const twist dV = c->s->momentum_form != 0.0 ? base_acceleration(c, point, rate->V[0]) : rate->dx[0];
    *simulated = (sample){y->g[0], rate->V[0], dV};
    *commanded = (sample){y->g[1], rate->V[1], twist_sub(dV, transported_rate(&g_s, rate->V[1], &c->s->nominal[point]))};
}

/* One step of (13) and (18). joints is (q, dq, ddq) as measured at its start; ddq the value from before it.
 * With h = 0 only the start is evaluated: that is the derivative. */
void servicer_step(const multibody *m, servicer *s, const double *joints, double h) {
    const int n = joint_count(m), points = h > 0.0 ? 3 : 1;
    double q[n + 1], dq[3 * n + 1];
    frame X[3 * n + 1];
    arm_effect arm[3];
    for (int i = 0; i < points; i++) {
        extrapolate(n, joints, 0.5 * i * h, q, dq + i * n);
        look_at_arm(m, s, q, dq + i * n, X + i * n, &arm[i]);
    }
    const step_context c = {m, s, joints, h, arm, X, dq};
    lie_rate rate;
    evaluate(&c, 0, &s->y, &rate, &s->simulated[0], &s->commanded[0]);
    if (points == 1) return;
    lie_rk4(s->momentum_form != 0.0 ? momentum_law : acceleration_law, &c, &rate, &s->y, BODIES, h);
    evaluate(&c, 2, &s->y, &rate, &s->simulated[1], &s->commanded[1]);
}

/* ---- arm on the ground ---- */

typedef struct {
    sample laboratory; /* the base in the laboratory, relative to the nominal: g_s, V_s, dV_s */
    sample orbit;      /* the base in orbit: g_b, V_b, dV_b */
    pose calibration;  /* the nominal frame in the laboratory */
    vec3 gravity;      /* in the laboratory */
    double compensated; /* 1 if the arm's own controller adds g(q) */
    double lead;        /* evaluate this much later than measured [s] */
} feed_forward;

/* gravity as the acceleration of a base that does not fall */
static twist held_against_gravity(const pose *calibration, const pose *g_s, vec3 gravity) {
    const frame T = frame_of(calibration), g = frame_of(g_s);
    return (twist){rotate_back(&g.R, rotate_back(&T.R, scale(-1.0, gravity))), {0, 0, 0}};
}

/* (22) on rows of n: q, dq, ddq as measured and the torque of the orbit; on return the total, G, ff1, ff2, ff3 follow.
 * C is linear in both its velocities, so the differences of (22) are taken before it is applied:
 *   ff2 = C_q(V_s) dq - C_q(V_b) dq             = C(D, 0) [0; dq],                        D = V_s - V_b
 *   ff3 = C_qs(dq, V_s) V_s - C_qb(dq, V_b) V_b = C(S/2, dq) [D; 0] + C(D/2, 0) [S; 0],   S = V_s + V_b
 * and the last term is one with the one before it, as C(V, 0) [W; 0] - C(W, 0) [V; 0] = M [ad(V) W; 0]. */
void arm_feed_forward(const multibody *m, const feed_forward *f, double *rows) {
    const int n = joint_count(m);
    const twist none = {{0, 0, 0}, {0, 0, 0}};
    const twist D = twist_sub(f->laboratory.V, f->orbit.V), S = twist_add(f->laboratory.V, f->orbit.V);
    const double *torque = rows + 3 * n;
    double *total = rows + 4 * n, *G = rows + 5 * n, *ff1 = rows + 6 * n, *ff2 = rows + 7 * n, *ff3 = rows + 8 * n;
    double q[n + 1], dq[n + 1];
    frame X[n + 1];
    extrapolate(n, rows, f->lead, q, dq);
    place_joints(m, q, X);
    inertial_effort(m, X, held_against_gravity(&f->calibration, &f->laboratory.g, f->gravity), 0, G);
    inertial_effort(m, X, twist_sub(f->laboratory.dV, f->orbit.dV), 0, ff1);
    coriolis_effort(m, X, none, D, 0, none, dq, ff2);
    coriolis_effort(m, X, twist_scale(-0.5, bracket(S, D)), S, dq, D, 0, ff3);
    for (int i = 0; i < n; i++)
        total[i] = torque[i] + (f->compensated != 0.0 ? 0.0 : G[i]) + ff1[i] + ff2[i] + ff3[i];
}

typedef struct {
    sample base[2]; /* motion of the arm's base in the laboratory at the start and the end of the step */
    pose calibration;
    vec3 gravity;
    wrench F_e; /* on the end-effector, held over the step */
} ground;

static void ground_acceleration(const multibody *m, const ground *g, double s, const double *q, const double *dq,
                                const double *torque, double *ddq) {
    const sample *a = &g->base[0], *b = &g->base[1];
    const twist V = twist_add(twist_scale(1 - s, a->V), twist_scale(s, b->V));
    const twist dV = twist_add(twist_scale(1 - s, a->dV), twist_scale(s, b->dV));
    const pose g_a = a->g, g_b = b->g;
    const twist up_a = held_against_gravity(&g->calibration, &g_a, g->gravity);
    const twist up_b = held_against_gravity(&g->calibration, &g_b, g->gravity);
    const twist up = twist_add(twist_scale(1 - s, up_a), twist_scale(s, up_b));
    joint_accelerations(m, q, dq, V, twist_add(dV, up), &g->F_e, torque, ddq);
}

/* (20): the torque-controlled arm under gravity on a moving base; joints is (q, dq, ddq), RK4, torque held.
 * On return ddq is the acceleration under that torque at the end of the step, its limit from the left. */
void ground_arm_step(const multibody *m, const ground *g, double *joints, const double *torque, double h) {
    const int n = joint_count(m);
    double *q = joints, *dq = joints + n, *ddq = joints + 2 * n;
    double k[4][n + 1], qs[n + 1], v[4][n + 1];
    for (int i = 0; i < n && h > 0.0; i++) v[0][i] = dq[i];
    if (h > 0.0) {
        ground_acceleration(m, g, 0.0, q, dq, torque, k[0]);
        for (int s = 1; s < 4; s++) {
            const double f = s < 3 ? 0.5 : 1.0;
            for (int i = 0; i < n; i++) {
                qs[i] = q[i] + f * h * v[s - 1][i];
                v[s][i] = dq[i] + f * h * k[s - 1][i];
            }
            ground_acceleration(m, g, f, qs, v[s], torque, k[s]);
        }
        for (int i = 0; i < n; i++) {
            q[i] += h / 6 * (v[0][i] + 2 * v[1][i] + 2 * v[2][i] + v[3][i]);
            dq[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
    ground_acceleration(m, g, h > 0.0 ? 1.0 : 0.0, q, dq, torque, ddq);
}
