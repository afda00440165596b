/* A free-flying base that carries a tree of one-degree-of-freedom joints: recursive dynamics. */
#ifndef HIL_MULTIBODY_H
#define HIL_MULTIBODY_H

#include "spatial.h"

typedef struct {
    double parent;    /* 0 is the base, i > 0 is joints[i-1]; parents come first */
    double prismatic; /* 0 revolute, 1 prismatic */
    vec3 axis;
    frame placement;  /* in the parent, at q = 0 */
    inertia body;
} joint;

typedef struct {
    double count;
    double tip_joint; /* which joint carries the end-effector (0 is the base) */
    frame tip;        /* the end-effector in that joint's frame */
    inertia base;
    joint joints[];
} multibody;

static inline int joint_count(const multibody *m) { return (int)m->count; }

/* pose of each joint's moving frame in its parent */
void place_joints(const multibody *m, const double *q, frame *X);

/* inertia of everything outboard of and including each joint; returns that of the whole, M_b */
inertia composite(const multibody *m, const frame *X, inertia *Y);

/* M_bq dq, what the joints' rates add to the momentum of the whole */
wrench joint_momentum(const multibody *m, const frame *X, const inertia *Y, const double *dq);

/* Each of these returns the base row and writes the joint rows, where wanted. A null pointer is a zero vector.
 * C is the Christoffel-consistent factorisation that pinocchio uses too. */

/* M(q) [A; ddq] */
wrench inertial_effort(const multibody *m, const frame *X, twist A, const double *ddq, double *joint_rows);

/* M(q) [A; ddq] + C(q; V, dq) [V; dq] - J^T F_tip, the left side of (12) */
wrench inverse_dynamics(const multibody *m, const frame *X, twist A, const double *ddq, twist V, const double *dq,
                        const wrench *F_tip, double *joint_rows);

/* M(q) [A; 0] + C(q; V, dq) [W; dw], linear in all three */
wrench coriolis_effort(const multibody *m, const frame *X, twist A, twist V, const double *dq, twist W,
                       const double *dw, double *joint_rows);

/* Joint accelerations of the arm on a base that moves with V and dV, row two of (12) or (20). */
void joint_accelerations(const multibody *m, const double *q, const double *dq, twist V, twist dV,
                         const wrench *F_tip, const double *torque, double *ddq);

/* a wrench at the end-effector in the frame of the base */
wrench tip_wrench_at_base(const multibody *m, const frame *X, wrench F_tip);

#endif
