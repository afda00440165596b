#include "multibody.h"

static const wrench NO_WRENCH = {{0, 0, 0}, {0, 0, 0}};
static const twist NO_TWIST = {{0, 0, 0}, {0, 0, 0}};

static inline twist along(const joint *j, double rate) {
    const vec3 a = scale(rate, j->axis), zero = {0, 0, 0};
    return j->prismatic != 0.0 ? (twist){a, zero} : (twist){zero, a};
}
static inline double projected(const joint *j, wrench F) { return dot(j->axis, j->prismatic != 0.0 ? F.f : F.n); }

void place_joints(const multibody *m, const double *q, frame *X) {
    const int n = joint_count(m);
    for (int i = 0; i < n; i++) {
        const joint *j = &m->joints[i];
        const pose moved = pose_exp(along(j, q[i]));
        const frame turn = frame_of(&moved);
        X[i] = frame_product(&j->placement, &turn);
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

/* I a + (1/2) (v x* I w + w x* I v - I (v x w)): for w = v the Newton-Euler equation of one link */
static inline wrench link_wrench(const inertia *I, twist a, twist v, twist w) {
    const wrench vw = bracket_dual(v, momentum(I, w)), wv = bracket_dual(w, momentum(I, v));
    const wrench both = wrench_add(vw, wv);
    const wrench half = {scale(0.5, both.f), scale(0.5, both.n)};
    return wrench_add(momentum(I, twist_sub(a, twist_scale(0.5, bracket(v, w)))), half);
}

wrench inverse_dynamics(const multibody *m, const frame *X, twist A, const double *ddq, twist V, const double *dq,
                        twist W, const double *dw, wrench F_tip, double *joint_rows) {
    const int n = joint_count(m), tip = (int)m->tip_joint;
    twist v[n + 1], w[n + 1], a[n + 1];
    wrench F[n + 1];
    v[0] = V, w[0] = W, a[0] = A;
    F[0] = link_wrench(&m->base, A, V, W);
    for (int i = 1; i <= n; i++) {
        const joint *j = &m->joints[i - 1];
        const int p = (int)j->parent;
        const twist Sdq = along(j, dq ? dq[i - 1] : 0.0);
        v[i] = twist_add(act_inv(&X[i - 1], v[p]), Sdq);
        w[i] = twist_add(act_inv(&X[i - 1], w[p]), along(j, dw ? dw[i - 1] : 0.0));
        a[i] = twist_add(act_inv(&X[i - 1], a[p]), bracket(w[i], Sdq)); /* J' w, with J' along (V, dq) */
        if (ddq) a[i] = twist_add(a[i], along(j, ddq[i - 1]));
        F[i] = link_wrench(&j->body, a[i], v[i], w[i]);
    }
    F[tip] = wrench_sub(F[tip], wrench_act(&m->tip, F_tip));
    for (int i = n; i >= 1; i--) {
        const joint *j = &m->joints[i - 1];
        const int p = (int)j->parent;
        if (joint_rows) joint_rows[i - 1] = projected(j, F[i]);
        F[p] = wrench_add(F[p], wrench_act(&X[i - 1], F[i]));
    }
    return F[0];
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

void joint_accelerations(const multibody *m, const double *q, const double *dq, twist V, twist dV, wrench F_tip,
                         const double *torque, double *ddq) {
    const int n = joint_count(m);
    if (n == 0) return;
    frame X[n];
    inertia Y[n];
    double M[n * n];
    place_joints(m, q, X);
    composite(m, X, Y);
    inverse_dynamics(m, X, dV, 0, V, dq, V, dq, F_tip, ddq);
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

/* M [A; ddq] + C(V, dq) [W; dw] - J^T F_tip; rates is (ddq, dq, dw), result is base row then joint rows */
void multibody_inverse_dynamics(const multibody *m, const double *q, const twist *motion, const double *rates,
                                const wrench *F_tip, double *result) {
    const int n = joint_count(m);
    frame X[n + 1];
    place_joints(m, q, X);
    *(wrench *)result = inverse_dynamics(m, X, motion[0], rates, motion[1], rates + n, motion[2], rates + 2 * n,
                                         *F_tip, result + 6);
}

/* momentum of base and arm in the frame of the base, M_b V + M_bq dq */
void multibody_momentum(const multibody *m, const double *q, const double *dq, const twist *V, wrench *result) {
    const int n = joint_count(m);
    frame X[n + 1];
    place_joints(m, q, X);
    *result = inverse_dynamics(m, X, *V, dq, NO_TWIST, 0, NO_TWIST, 0, NO_WRENCH, 0);
}
