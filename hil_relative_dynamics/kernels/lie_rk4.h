/* Fourth-order Runge-Kutta on SE(3)^n x R^6n after Munthe-Kaas, with the two commutators that order
 * four needs (Owren's minimal form, signs for body twists). */
#ifndef HIL_LIE_RK4_H
#define HIL_LIE_RK4_H

#include "spatial.h"

enum { BODIES = 2 }; /* a body in orbit and its image in the laboratory */

typedef struct { pose g[BODIES]; twist x[BODIES]; } lie_state;
typedef struct { twist V[BODIES], dx[BODIES]; } lie_rate;

/* `point` is 0, 1, 2 at the start, middle and end of the step */
typedef void lie_law(const void *context, int point, const lie_state *state, lie_rate *rate);

/* `start` is the law's value at the start of the step, which callers have at hand */
static inline void lie_rk4(lie_law *law, const void *context, const lie_rate *start, lie_state *y, int bodies,
                           double h) {
    lie_rate k[4];
    lie_state s;
    k[0] = *start;
    for (int i = 0; i < bodies; i++) {
        s.g[i] = pose_advance(&y->g[i], twist_scale(h / 2, k[0].V[i]));
        s.x[i] = twist_add(y->x[i], twist_scale(h / 2, k[0].dx[i]));
    }
    law(context, 1, &s, &k[1]);
    for (int i = 0; i < bodies; i++) {
        const twist c = twist_scale(h * h / 8, bracket(k[0].V[i], k[1].V[i]));
        s.g[i] = pose_advance(&y->g[i], twist_add(twist_scale(h / 2, k[1].V[i]), c));
        s.x[i] = twist_add(y->x[i], twist_scale(h / 2, k[1].dx[i]));
    }
    law(context, 1, &s, &k[2]);
    for (int i = 0; i < bodies; i++) {
        s.g[i] = pose_advance(&y->g[i], twist_scale(h, k[2].V[i]));
        s.x[i] = twist_add(y->x[i], twist_scale(h, k[2].dx[i]));
    }
    law(context, 2, &s, &k[3]);
    for (int i = 0; i < bodies; i++) {
        const twist V = twist_add(twist_add(k[0].V[i], k[3].V[i]), twist_scale(2, twist_add(k[1].V[i], k[2].V[i])));
        const twist a = twist_add(twist_add(k[0].dx[i], k[3].dx[i]), twist_scale(2, twist_add(k[1].dx[i], k[2].dx[i])));
        const twist c = twist_scale(h * h / 12, bracket(k[0].V[i], k[3].V[i]));
        y->g[i] = pose_advance(&y->g[i], twist_add(twist_scale(h / 6, V), c));
        y->x[i] = twist_add(y->x[i], twist_scale(h / 6, a));
    }
}

#endif
