/* control.h: step size control of one-step methods (control.c). */
#ifndef ACAUSAL_SOLVE_CONTROL_H
#define ACAUSAL_SOLVE_CONTROL_H

#include "solve/core/solver.h"

/* Step size control. With k the order of the error estimate plus one and e the weighted error norm
 * (accepted if e <= 1), the factor for the next step is
 *   CONTROL_INTEGRAL    safety e^(-1/k)
 *   CONTROL_PI          safety e^(-(1/k - 0.75 beta)) e_old^beta                      (Gustafsson,
 *   Hairer)
 *   CONTROL_PREDICTIVE  min of integral and safety h/h_old (e_old/e^2)^(1/k)          (Gustafsson)
 *   CONTROL_FILTER      e^(-1/4k) e_old^(-1/4k) (h/h_old)^(-1/4): H211b               (Soederlind)
 * held in [least, most], and set to 1 between hold_low and hold_high to save factorisations. */
typedef enum { CONTROL_INTEGRAL, CONTROL_PI, CONTROL_PREDICTIVE, CONTROL_FILTER } ControlKind;

typedef struct {
    ControlKind kind;
    double k; /* exponent: order of the estimate + 1 */
    double safety, beta;
    double least, most;         /* bounds of the factor */
    double hold_low, hold_high; /* factors in between become 1; both 1: never */
    /* history: */
    double error_old, h_old;
    bool has_history, after_reject;
} Control;

/* The next step size after an accepted step of size h; `safety` replaces the controller's own
 * (Newton's work may lower it) if it is > 0. */
double control_accepted(Control *c, double h, double error, double safety);
double control_rejected(Control *c, double h, double error, double safety);
void control_restart(Control *c);

#endif
