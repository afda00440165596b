/* A hub with flexible appendages in orbit, and its image in the laboratory: (1) of the flexible-client paper with the
 * matching of the core paper, (11) with a row per mode. The law is that of bodies/flexible.py.
 *
 * A body is a row of doubles: number of modes n, M_0 (6x6), A_k and B_k (n each of 6x6), G (n rows of 6), and modal
 * masses, stiffnesses and dampings (n each). A state is g_t, g_c, and x: V_t, V_c, q, dq. */
#include "spatial.h"

enum { SIX = 6, MATRIX = 36, TWISTS = 12 };

typedef struct {
    int n;
    const double *undeformed, *linear, *quadratic, *coupling, *mass, *stiffness, *damping;
} flexible;

static flexible flexible_of(const double *row) {
    const int n = (int)row[0];
    flexible b = {n, row + 1, 0, 0, 0, 0, 0, 0};
    b.linear = b.undeformed + MATRIX;
    b.quadratic = b.linear + MATRIX * n;
    b.coupling = b.quadratic + MATRIX * n;
    b.mass = b.coupling + SIX * n;
    b.stiffness = b.mass + n;
    b.damping = b.stiffness + n;
    return b;
}

/* M a = r for a symmetric positive M, by Cholesky; r becomes a */
static void solve_six(double M[SIX][SIX], double r[SIX]) {
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j <= i; j++) {
            double s = M[i][j];
            for (int k = 0; k < j; k++) s -= M[i][k] * M[j][k];
            M[i][j] = i == j ? sqrt(s) : s / M[j][j];
        }
        for (int k = 0; k < i; k++) r[i] -= M[i][k] * r[k];
        r[i] /= M[i][i];
    }
    for (int i = SIX - 1; i >= 0; i--) {
        for (int k = i + 1; k < SIX; k++) r[i] -= M[k][i] * r[k];
        r[i] /= M[i][i];
    }
}

static void flexible_law(const flexible *b, const double *F, const sample *nominal, const pose *g_c, const double *x,
                         double *rate) {
    const int n = b->n;
    const double *V = x, *q = x + TWISTS, *dq = q + n;
    double M[SIX][SIX], a[SIX], h[SIX], *ddq = rate + TWISTS + n;
    for (int i = 0; i < MATRIX; i++) M[i / SIX][i % SIX] = b->undeformed[i];
    for (int i = 0; i < SIX; i++) a[i] = F[i], h[i] = 0.0;
    for (int k = 0; k < n; k++) { /* M_rr(q), F - dM_rr/dt V, and the force on each mode */
        const double *A = b->linear + MATRIX * k, *B = b->quadratic + MATRIX * k;
        double slope = 0.0;
        for (int i = 0; i < SIX; i++) {
            double by_q = 0.0; /* (dM_rr/dq_k V)_i */
            for (int j = 0; j < SIX; j++) {
                M[i][j] += q[k] * (A[SIX * i + j] + q[k] * B[SIX * i + j]);
                by_q += (A[SIX * i + j] + 2.0 * q[k] * B[SIX * i + j]) * V[j];
            }
            a[i] -= dq[k] * by_q;
            h[i] += b->coupling[SIX * k + i] * dq[k];
            slope += 0.5 * V[i] * by_q;
        }
        ddq[k] = slope - b->stiffness[k] * q[k] - b->damping[k] * dq[k];
    }
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++) h[i] += M[i][j] * V[j];
    const twist V_t = {{V[0], V[1], V[2]}, {V[3], V[4], V[5]}};
    const wrench turned = bracket_dual(V_t, (wrench){{h[0], h[1], h[2]}, {h[3], h[4], h[5]}});
    const double *carried = &turned.f.x;
    for (int i = 0; i < SIX; i++) a[i] -= carried[i];
    for (int k = 0; k < n; k++) { /* the modal rows solved first: what remains is 6x6 */
        const double *G = b->coupling + SIX * k;
        for (int i = 0; i < SIX; i++) {
            a[i] -= G[i] * ddq[k] / b->mass[k];
            for (int j = 0; j < SIX; j++) M[i][j] -= G[i] * G[j] / b->mass[k];
        }
    }
    solve_six(M, a);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < SIX; i++) ddq[k] -= b->coupling[SIX * k + i] * a[i];
        ddq[k] /= b->mass[k];
        rate[TWISTS + k] = dq[k];
    }
    const frame relative = frame_of(g_c);
    const twist away = transported_rate(&relative, (twist){{x[6], x[7], x[8]}, {x[9], x[10], x[11]}}, nominal);
    const double *d = &away.v.x;
    for (int i = 0; i < SIX; i++) rate[i] = a[i], rate[SIX + i] = a[i] - d[i];
}

static twist twist_at(const double *x) { return (twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

static void show(sample motion[2][2], int end, const pose g[2], const double *x, const double *rate) {
    for (int i = 0; i < 2; i++) motion[i][end] = (sample){g[i], twist_at(x + SIX * i), twist_at(rate + SIX * i)};
}

/* One step, as lie_rk4.h does it; with h = 0 only the start is evaluated: that is the derivative. */
void flexible_client_step(const double *row, const sample nominal[3], const double *F, pose g[2], double *x,
                          sample motion[2][2], double h) {
    const flexible b = flexible_of(row);
    const int size = TWISTS + 2 * b.n;
    double k[4][size], stage[size];
    pose s[2];
    flexible_law(&b, F, &nominal[0], &g[1], x, k[0]);
    show(motion, 0, g, x, k[0]);
    if (!(h > 0.0)) return;
    twist V[4][2]; /* of both poses at each stage */
    for (int p = 0; p < 4; p++) {
        const double *here = p ? stage : x;
        if (p) {
            const double part = p == 3 ? h : h / 2;
            for (int i = 0; i < size; i++) stage[i] = x[i] + part * k[p - 1][i];
            for (int i = 0; i < 2; i++) {
                twist u = twist_scale(part, V[p - 1][i]);
                if (p == 2) u = twist_add(u, twist_scale(h * h / 8, bracket(V[0][i], V[1][i])));
                s[i] = pose_advance(&g[i], u);
            }
            flexible_law(&b, F, &nominal[p == 3 ? 2 : 1], &s[1], stage, k[p]);
        }
        for (int i = 0; i < 2; i++) V[p][i] = twist_at(here + SIX * i);
    }
    for (int i = 0; i < 2; i++) {
        const twist mean = twist_add(twist_add(V[0][i], V[3][i]), twist_scale(2, twist_add(V[1][i], V[2][i])));
        const twist c = twist_scale(h * h / 12, bracket(V[0][i], V[3][i]));
        g[i] = pose_advance(&g[i], twist_add(twist_scale(h / 6, mean), c));
    }
    for (int i = 0; i < size; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    flexible_law(&b, F, &nominal[2], &g[1], x, k[0]);
    show(motion, 1, g, x, k[0]);
}
