#include "multibody.h"

static const twist NO_TWIST = {{0, 0, 0}, {0, 0, 0}};
static const wrench NO_WRENCH = {{0, 0, 0}, {0, 0, 0}};

static inline twist along(const joint *j, double rate) {
    const vec3 a = scale(rate, j->axis), zero = {0, 0, 0};
    return j->prismatic != 0.0 ? (twist){a, zero} : (twist){zero, a};
}
static inline double projected(const joint *j, wrench F) { return dot(j->axis, j->prismatic != 0.0 ? F.f : F.n); }

void place_joints(const multibody *m, const double *q, frame *X) {
    const int n = joint_count(m);
    for (int i = 0; i < n; i++) {
        const joint *j = &m->joints[i];
        X[i] = j->placement;
        if (j->prismatic != 0.0) {
            X[i].p = add(X[i].p, rotate(&X[i].R, scale(q[i], j->axis)));
        } else {
            const mat3 turn = rotation_about(j->axis, q[i]);
            X[i].R = product(&j->placement.R, &turn);
        }
    }
}

inertia composite(const multibody *m, const frame *X, inertia *Y) {
    const int n = joint_count(m);
    inertia whole = m->base;
    for (int i = 0; i < n; i++) Y[i] = m->joints[i].body;
    for (int i = n - 1; i >= 0; i--) {
        const int parent = (int)m->joints[i].parent;
        inertia_add_moved(parent ? &Y[parent - 1] : &whole, &X[i], &Y[i]);
    }
    return whole;
}

/* Each joint moves all that is outboard of it as one body. */
wrench joint_momentum(const multibody *m, const frame *X, const inertia *Y, const double *dq) {
    const int n = joint_count(m);
    wrench F[n + 1];
    for (int i = 0; i <= n; i++) F[i] = NO_WRENCH;
    for (int i = n; i >= 1; i--) {
        const joint *j = &m->joints[i - 1];
        const int p = (int)j->parent;
        F[i] = wrench_add(F[i], momentum(&Y[i - 1], along(j, dq[i - 1])));
        F[p] = wrench_add(F[p], wrench_act(&X[i - 1], F[i]));
    }
    return F[0];
}

/* One link:  I a + (1/2) (v x* I w + w x* I v + I (v x w)), which for w = v is Newton-Euler. The matrix
 * that acts on w is skew-symmetric, so that dM/dt - 2 C is too (the passivity that (25) rests on). */
static inline __attribute__((always_inline)) wrench
link_wrench(const inertia *I, twist a, twist v, twist w, int same) {
    if (same) return wrench_add(momentum(I, a), bracket_dual(v, momentum(I, v)));
    const wrench both = wrench_add(bracket_dual(v, momentum(I, w)), bracket_dual(w, momentum(I, v)));
    const wrench half = {scale(0.5, both.f), scale(0.5, both.n)};
    return wrench_add(momentum(I, twist_add(a, twist_scale(0.5, bracket(v, w)))), half);
}

/* M [A; ddq] + C(V, dq) [W; dw] - J^T F_tip. The flags are constants at every call: the compiler makes one
 * lean version for each use (moving: velocities matter; same: W = V and dw = dq). */
static inline __attribute__((always_inline)) wrench
pass(const multibody *m, const frame *X, twist A, const double *ddq, twist V, const double *dq, twist W,
     const double *dw, const wrench *F_tip, double *joint_rows, int moving, int same) {
    const int n = joint_count(m);
    twist v[n + 1], w[n + 1], a[n + 1];
    wrench F[n + 1];
    v[0] = V, w[0] = W, a[0] = A;
    F[0] = moving ? link_wrench(&m->base, A, V, W, same) : momentum(&m->base, A);
    for (int i = 1; i <= n; i++) {
        const joint *j = &m->joints[i - 1];
        const int p = (int)j->parent;
        a[i] = act_inv(&X[i - 1], a[p]);
        if (ddq) a[i] = twist_add(a[i], along(j, ddq[i - 1]));
        if (moving) {
            const twist Sdq = along(j, dq ? dq[i - 1] : 0.0);
            v[i] = twist_add(act_inv(&X[i - 1], v[p]), Sdq);
            if (same)
                w[i] = v[i];
            else
                w[i] = twist_add(act_inv(&X[i - 1], w[p]), along(j, dw ? dw[i - 1] : 0.0));
            if (dq) a[i] = twist_add(a[i], bracket(w[i], Sdq)); /* dJ/dt w, along (V, dq) */
            F[i] = link_wrench(&j->body, a[i], v[i], w[i], same);
        } else {
            F[i] = momentum(&j->body, a[i]);
        }
    }
    if (F_tip) {
        const int tip = (int)m->tip_joint;
        F[tip] = wrench_sub(F[tip], wrench_act(&m->tip, *F_tip));
    }
    for (int i = n; i >= 1; i--) {
        const joint *j = &m->joints[i - 1];
        const int p = (int)j->parent;
        if (joint_rows) joint_rows[i - 1] = projected(j, F[i]);
        F[p] = wrench_add(F[p], wrench_act(&X[i - 1], F[i]));
    }
    return F[0];
}

wrench inertial_effort(const multibody *m, const frame *X, twist A, const double *ddq, double *joint_rows) {
    return pass(m, X, A, ddq, NO_TWIST, 0, NO_TWIST, 0, 0, joint_rows, 0, 0);
}

wrench inverse_dynamics(const multibody *m, const frame *X, twist A, const double *ddq, twist V, const double *dq,
                        const wrench *F_tip, double *joint_rows) {
    return pass(m, X, A, ddq, V, dq, V, dq, F_tip, joint_rows, 1, 1);
}

wrench coriolis_effort(const multibody *m, const frame *X, twist A, twist V, const double *dq, twist W,
                       const double *dw, double *joint_rows) {
    return pass(m, X, A, 0, V, dq, W, dw, 0, joint_rows, 1, 0);
}

/* joint block M_q of the mass matrix, row by row */
static void joint_mass_matrix(const multibody *m, const frame *X, const inertia *Y, double *M) {
    const int n = joint_count(m);
    for (int i = 0; i < n * n; i++) M[i] = 0.0;
    for (int i = 0; i < n; i++) {
        wrench F = momentum(&Y[i], along(&m->joints[i], 1.0));
        for (int k = i + 1; k > 0; k = (int)m->joints[k - 1].parent) {
            M[i * n + k - 1] = M[(k - 1) * n + i] = projected(&m->joints[k - 1], F);
            F = wrench_act(&X[k - 1], F);
        }
    }
}

/* x <- M^-1 x by Cholesky; M is overwritten */
static void solve(double *M, double *x, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double s = M[i * n + j];
            for (int k = 0; k < j; k++) s -= M[i * n + k] * M[j * n + k];
            M[i * n + j] = i == j ? sqrt(s) : s / M[j * n + j];
        }
        for (int k = 0; k < i; k++) x[i] -= M[i * n + k] * x[k];
        x[i] /= M[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= M[k * n + i] * x[k];
        x[i] /= M[i * n + i];
    }
}

void joint_accelerations(const multibody *m, const double *q, const double *dq, twist V, twist dV, const wrench *F_tip,
                         const double *torque, double *ddq) {
    const int n = joint_count(m);
    if (n == 0) return;
    frame X[n];
    inertia Y[n];
    double M[n * n];
    place_joints(m, q, X);
    composite(m, X, Y);
    inverse_dynamics(m, X, dV, 0, V, dq, F_tip, ddq);
    for (int i = 0; i < n; i++) ddq[i] = torque[i] - ddq[i];
    joint_mass_matrix(m, X, Y, M);
    solve(M, ddq, n);
}

wrench tip_wrench_at_base(const multibody *m, const frame *X, wrench F_tip) {
    wrench F = wrench_act(&m->tip, F_tip);
    for (int k = (int)m->tip_joint; k > 0; k = (int)m->joints[k - 1].parent) F = wrench_act(&X[k - 1], F);
    return F;
}

/* ---- for Python ---- */

/* momentum of base and arm in the frame of the base, M_b V + M_bq dq */
void multibody_momentum(const multibody *m, const double *q, const double *dq, const twist *V, wrench *result) {
    const int n = joint_count(m);
    frame X[n + 1];
    place_joints(m, q, X);
    *result = inertial_effort(m, X, *V, dq, 0);
}
