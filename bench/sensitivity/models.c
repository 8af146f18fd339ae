/* models.c: the rows of sensitivity.h, each written from its equations. Equations of the chemical
 * ones as in Hairer and Wanner, Solving ODEs II; those with events are the ones of bench/hybrid
 * with some numbers as parameters. */
#include "bench/sensitivity/sensitivity.h"

#include <math.h>

#define MODEL(name, body) "model " name " " body " end " name ";"

static const char linear[] = MODEL("Linear", "parameter Real a = 0.3; parameter Real b = 2; Real x(start = "
                                             "1, fixed = true); Real y(start = 0, fixed = true); "
                                             "equation der(x) = -a*x + b*y; der(y) = -b*x - a*y;");

#define LINEAR_STOP 5

/* x = exp(-a t) cos(b t) for x = 1, y = 0 at the start. */
static void linear_form(double *d)
{
    double a = 0.3, b = 2.0, t = LINEAR_STOP, size = exp(-a * t);
    d[0] = -t * size * cos(b * t);
    d[1] = -t * size * sin(b * t);
    d[2] = size * cos(b * t);
    d[3] = size * sin(b * t);
}

#define VAN_DER_POL(mu)                                                                                      \
    MODEL("VanDerPol", "parameter Real mu = " mu                                                             \
                       "; parameter Real c = 1; Real x(start = 2, fixed = true); Real v(start = 0, fixed = " \
                       "true); equation der(x) = v; der(v) = mu*(c - x^2)*v - x;")

static const char van_der_pol[] = VAN_DER_POL("10"), van_der_pol_stiff[] = VAN_DER_POL("100");

static const char robertson[] = MODEL(
    "Robertson", "parameter Real k1 = 0.04; parameter Real k2 = 1e4; parameter Real k3 = 3e7; Real y1(start "
                 "= 1, fixed = true); "
                 "Real y2(start = 0, fixed = true, nominal = 1e-5); Real y3; Real G(start = 0, fixed = "
                 "true); equation der(y1) = "
                 "-k1*y1 + k2*y2*y3; der(y2) = k1*y1 - k2*y2*y3 - k3*y2^2; y1 + y2 + y3 = 1; der(G) = y3;");

static const char hires[] = MODEL("Hires", "parameter Real k1 = 1.71; parameter Real k2 = 0.43; parameter "
                                           "Real k3 = 8.32; parameter Real k4 = 0.69; parameter Real k5 = "
                                           "0.035; parameter Real k6 = 8.32; parameter Real kp = 280; "
                                           "parameter Real km = 0.69; parameter Real ks = 0.0007; parameter "
                                           "Real kr = 1.12; Real y1(start = 1, fixed = true); Real y2(start "
                                           "= 0, fixed = true); Real y3(start = 0, fixed = true); Real "
                                           "y4(start = 0, fixed = true); Real y5(start = 0, fixed = true); "
                                           "Real y6(start = 0, fixed = true); Real y7(start = 0, fixed = "
                                           "true); Real y8(start = 0.0057, fixed = true); equation der(y1) = "
                                           "-k1*y1 + k2*y2 + k6*y3 + ks; der(y2) = k1*y1 - 8.75*y2; "
                                           "der(y3) = -10.03*y3 + k2*y4 + k5*y5; der(y4) = k3*y2 + k1*y3 - "
                                           "kr*y4; der(y5) = -1.745*y5 + k2*y6 + k2*y7; der(y6) = "
                                           "-kp*y6*y8 + k4*y4 + k1*y5 - k2*y6 + km*y7; der(y7) = kp*y6*y8 - "
                                           "1.81*y7; der(y8) = -kp*y6*y8 + 1.81*y7;");

static const char pendulum[] = MODEL("Pendulum", "parameter Real L = 1; parameter Real g = 9.81; parameter "
                                                 "Real d = 0.1; Real x(start = 0.8*L, fixed = true); Real "
                                                 "y(start = -0.6*L); Real vx(start = 0, fixed = true); Real "
                                                 "vy; Real F; equation vx = der(x); vy = der(y); der(vx) = "
                                                 "-F*x - d*vx; der(vy) = -F*y - g - d*vy; x^2 + y^2 = L^2;");

/* 1,000 cells, ten of them to a conductivity. */
static const char heat_rod[] =
    MODEL("HeatRod", "parameter Integer n = 1000; parameter Real k[100] = {1 + 0.5*sin(0.3*i) for i in "
                     "1:100}; Real T[n](start = {sin(3.1*i/n) + 0.3*sin(11.0*i/n) for i in 1:n}, "
                     "each fixed = true); Real G; equation der(T[1]) = k[1]*(T[2] - 2*T[1])*n; for i in 2:n "
                     "- 1 loop der(T[i]) = "
                     "k[div(i - 1, 10) + 1]*(T[i - 1] - 2*T[i] + T[i + 1])*n; end for; der(T[n]) = "
                     "k[100]*(T[n - 1] - 2*T[n])*n; G = "
                     "sum(T[i]^2 for i in 1:n)/n;");

static const char ball[] = MODEL("Ball", "parameter Real e = 0.88; parameter Real g = 9.81; parameter Real d "
                                         "= 0.1; Real y(start = -0.63, fixed = true); Real "
                                         "v(start = 0, fixed = true); equation der(y) = v; der(v) = g - d*y; "
                                         "when y > 0 then reinit(v, -e*pre(v)); end when;");

/* The height after ten bounces of a ball that falls from 1, in restitution and gravity. */
static const char bounces[] =
    MODEL("Bounces", "parameter Real e = 0.8; parameter Real g = 9.81; Real h(start = 1, fixed = true); Real "
                     "v(start = 0, fixed = true); "
                     "equation der(h) = v; der(v) = -g; when h < 0 then reinit(v, -e*pre(v)); end when;");
#define BOUNCES_STOP 3.63

/* It hits the ground at a S, a = sqrt(2/g), S = 1 + 2 sum e^k over 1..9, for the tenth time, and
 * leaves it with e^10 g a. */
static void bounces_form(double *d)
{
    double e = 0.8, g = 9.81, a = sqrt(2.0 / g), sum = 1.0, slope = 0.0, power = pow(e, 10);
    for (int k = 1; k <= 9; k++) {
        sum += 2.0 * pow(e, k);
        slope += 2.0 * k * pow(e, k - 1);
    }
    double since = BOUNCES_STOP - a * sum, v = power * g * a, a_g = -a / (2.0 * g), since_g = -a_g * sum;
    d[0] = 10.0 * pow(e, 9) * g * a * since - v * a * slope + g * since * a * slope;
    d[1] = power * (a + g * a_g) * since + v * since_g - 0.5 * since * since - g * since * since_g;
}

#define RECTIFIER                                                                                            \
    "parameter Real peak = 20; parameter Real L = 5e-3; parameter Real R = 0.5; parameter Real C = 1e-3; "   \
    "parameter Real load = "                                                                                 \
    "20; Real i(start = 0, fixed = true); Real v(start = 1, fixed = true); Boolean on(start = false, fixed " \
    "= true); Real s = "                                                                                     \
    "peak*sin(314.159265358979*time); "

static const char rectifier[] = MODEL(
    "Rectifier", RECTIFIER
    "equation der(i) = if on then (s - R*i - v)/L else 0; der(v) = (i - v/load)/C; when {pre(on) and i < 0, "
    "not pre(on) and s > v} then on = not pre(on); reinit(i, 0); end when;");

static const char rectifier_dae[] = MODEL(
    "RectifierDae", RECTIFIER
    "Real u; Real j(start = 0.05); equation der(i) = if on then (u - R*i)/L else 0; der(v) = (i - j)/C; u = "
    "s "
    "- v; j*(load + 0.5*j) = v; when {pre(on) and i < 0, not pre(on) and s > v} then on = not pre(on); "
    "reinit(i, "
    "0); end when;");

static const char buck[] =
    MODEL("Buck", "parameter Real period = 1e-5; parameter Real duty = 0.45; parameter Real L = 1e-4; "
                  "parameter Real load = 4; Real i(start "
                  "= 0, fixed = true); Real v(start = 0, fixed = true); discrete Real next(start = 0.45e-5, "
                  "fixed = true); discrete Real k(start "
                  "= 0, fixed = true); Boolean on(start = true, fixed = true); equation der(i) = ((if on "
                  "then 24 else 0) - 0.05*i - v)/L; "
                  "der(v) = (i - v/load)/1e-4; when time >= pre(next) then on = not pre(on); k = if on then "
                  "pre(k) + 1 else pre(k); next = "
                  "(k + (if on then duty + 0.2*sin(0.01*k) else 1))*period; end when;");

static const char clutch[] =
    MODEL("Clutch", "parameter Real J1 = 0.3; parameter Real J2 = 0.2; parameter Real J3 = 1.5; parameter "
                    "Real grip = 130; parameter Real c = "
                    "60; Real w1(start = 60, fixed = true); Real w2(start = 0, fixed = true); Real a(start = "
                    "0, fixed = true); Real w3(start = 0, "
                    "fixed = true); Real engine = 60 + 25*sin(5*time) - 0.25*w1 - 0.001*w1^2; Real shaft = "
                    "c*a + 0.8*(w2 - w3); Real most = "
                    "grip*(0.2 + 0.8*sin(3.14159265358979*time/0.2)^2); Real need = (engine*J2 + "
                    "shaft*J1)/(J1 + J2); Boolean locked(start = "
                    "false, fixed = true); discrete Real way(start = 1, fixed = true); Real carried = if "
                    "locked then need else way*0.8*most; "
                    "equation der(w1) = (engine - carried)/J1; der(w2) = (carried - shaft)/J2; der(a) = w2 - "
                    "w3; der(w3) = (shaft - 0.02*w3^2)/J3; "
                    "when {pre(locked) and need > most, pre(locked) and -need > most, not pre(locked) and "
                    "pre(way)*(w1 - w2) < 0} then locked = not "
                    "pre(locked) and abs(need) < most; way = if need > 0 then 1 else -1; reinit(w1, if "
                    "pre(locked) then pre(w1) else (J1*pre(w1) + "
                    "J2*pre(w2))/(J1 + J2)); reinit(w2, if pre(locked) then pre(w2) else (J1*pre(w1) + "
                    "J2*pre(w2))/(J1 + J2)); end when;");

static const char friction[] =
    MODEL("Friction", "parameter Real belt = 0.5; parameter Real k = 4; parameter Real wall = 10; parameter "
                      "Real hold = 4; Real x[3](start = {0, 0.05, "
                      "0.1}, each fixed = true); Real v[3](start = {0.5, 0.5, 0.5}, each fixed = true); Real "
                      "f[3]; Real slip[3]; discrete Real way[3](each "
                      "start = 0, each fixed = true); equation f[1] = -wall*x[1] + k*(x[2] - x[1]); f[2] = "
                      "-wall*1.1*x[2] + k*(x[1] - x[2]) + k*(x[3] - "
                      "x[2]); f[3] = -wall*1.2*x[3] + k*(x[2] - x[3]); for i in 1:3 loop der(x[i]) = v[i]; "
                      "slip[i] = v[i] - belt; der(v[i]) = if abs(way[i]) "
                      "< 0.5 then 0 else f[i] - way[i]*hold*(0.5 + 0.3/(1 + 2*way[i]*slip[i])) - 0.05*v[i]; "
                      "when {abs(pre(way[i])) < 0.5 and f[i] - "
                      "0.05*belt > hold, abs(pre(way[i])) < 0.5 and f[i] - 0.05*belt < -hold, "
                      "abs(pre(way[i])) > 0.5 and pre(way[i])*slip[i] < 0} then "
                      "way[i] = if abs(pre(way[i])) > 0.5 and abs(f[i] - 0.05*belt) < hold then 0 else if "
                      "f[i] - 0.05*belt > 0 then 1 else -1; "
                      "reinit(v[i], if abs(pre(way[i])) > 0.5 and abs(f[i] - 0.05*belt) < hold then belt "
                      "else pre(v[i])); end when; end for;");

static const char thermostats[] =
    MODEL("Thermostats", "parameter Real set[12] = {20 + 0.3*(i - 1) for i in 1:12}; parameter Real power = "
                         "150; parameter Real mix = 3; parameter Real half = 0.5; Real "
                         "air[12](start = {20 + 0.3*(i - 1) + 0.07*(i - 6) for i in 1:12}, each fixed = "
                         "true); Real wall[12](start = {19 + 0.3*(i - 1) for i "
                         "in 1:12}, each fixed = true); Boolean on[12](start = {mod(i, 2) == 0 for i in "
                         "1:12}, each fixed = true); Real outside = 5 + "
                         "4*sin(0.26*time); equation for i in 1:12 loop der(air[i]) = 60*(wall[i] - air[i]) "
                         "+ mix*(air[if i == 1 then 12 else i - 1] + air[if i "
                         "== 12 then 1 else i + 1] - 2*air[i]) + (if on[i] then power + 5*(i - 1) else 0); "
                         "der(wall[i]) = 2*(air[i] - wall[i]) - 0.1*(wall[i] - "
                         "outside) - 0.001*(wall[i] - outside)^2; on[i] = air[i] < set[i] - half or "
                         "pre(on[i]) and air[i] < set[i] + half; end for;");

static const char neurons[] =
    MODEL("Neurons", "parameter Real drive = 1.4; parameter Real rate = 0.5; parameter Real kick = 0.1; "
                     "parameter Real bend = 0.3; Real v[8](start = {0.1*(i - 1) for "
                     "i in 1:8}, each fixed = true); Real w[8](each start = 0, each fixed = true); Real "
                     "s[8](each start = 0, each fixed = "
                     "true); equation for i in 1:8 loop der(v[i]) = -v[i] + drive + 0.1*(i - 1) + "
                     "0.3*sin(0.2*time + i - 1) - w[i] + s[i] + "
                     "bend*v[i]^2; der(w[i]) = 0.1*(0.2*v[i] - w[i]); der(s[i]) = -rate*s[i]; when v[i] > 1 "
                     "then reinit(v[i], pre(v[i]) - 1); "
                     "reinit(w[i], pre(w[i]) + 0.05); reinit(s[if i == 8 then 1 else i + 1], pre(s[if i == 8 "
                     "then 1 else i + 1]) + kick); end "
                     "when; end for;");

static const char valve[] =
    MODEL("Valve", "parameter Real lift = 0.15; parameter Real m = 0.02; parameter Real c = 8; parameter "
                   "Real bulk = 900; parameter Real back = 0.3; "
                   "Real p(start = 5, fixed = true); Real x(start = 0, fixed = true); Real v(start = 0, "
                   "fixed = true); Real tank(start = 0.5, "
                   "fixed = true); Real head = p - tank; Real through = 1.2*noEvent(max(x, "
                   "0))*head/sqrt(noEvent(abs(head)) + 0.1); Real force = p "
                   "- 10 - c*x - 0.15*v; discrete Real stop(start = -1, fixed = true); Real pump = if "
                   "sin(6.283185307179586*time) > 0 then 3 else "
                   "0.6; equation der(p) = bulk*(pump - through - 0.02*head); der(tank) = 5*(through - "
                   "0.6*tank); der(x) = if abs(stop) > 0.5 then "
                   "0 else v; der(v) = if abs(stop) > 0.5 then 0 else force/m; when {abs(pre(stop)) > 0.5 "
                   "and force*pre(stop) < 0, abs(pre(stop)) < "
                   "0.5 and x < 0 and v < 0, abs(pre(stop)) < 0.5 and x > lift and v > 0} then stop = if "
                   "abs(pre(stop)) > 0.5 then 0 else if "
                   "back*abs(pre(v)) > 0.05 then 0 else if x < 0.5*lift then -1 else 1; reinit(v, if "
                   "abs(pre(stop)) > 0.5 then pre(v) else if "
                   "back*abs(pre(v)) > 0.05 then -back*pre(v) else 0); reinit(x, if abs(pre(stop)) > 0.5 "
                   "then pre(x) else if x < 0.5*lift then 0 "
                   "else lift); end when;");

#define ARM                                                                                                  \
    "parameter Real Ts = 0.02; parameter Real kp = 25; parameter Real kd = 4; parameter Real ki = 8; "       \
    "parameter Real c = 40; Real q(start "                                                                   \
    "= 0, fixed = true); Real w(start = 0, fixed = true); Real a(start = 0, fixed = true); Real u(start = "  \
    "0, fixed = true); "                                                                                     \
    "discrete Real torque(start = 0, fixed = true); discrete Real sum(start = 0, fixed = true); Real joint " \
    "= c*(a - q) + 0.5*(u - "                                                                                \
    "w); Real wish = 1.2*sin(0.8*time) + 0.3*sin(2.1*time); equation der(q) = w; der(w) = joint - 4*sin(q) " \
    "- 0.2*w; der(a) = u; when "                                                                             \
    "sample(0, Ts) then sum = pre(sum) + Ts*(wish - q); torque = kp*(wish - q) - kd*u + ki*sum; end when; "

static const char sampled[] = MODEL("Sampled", ARM "der(u) = (torque - joint - 0.5*u)/0.5;");
static const char sampled_stiff[] =
    MODEL("SampledStiff", "Real i(start = 0, fixed = true); " ARM
                          "der(u) = (i - joint - 0.5*u)/0.5; der(i) = 400*(torque - i) - 20*u;");

const SensitivityProblem sensitivity_problems[] = {
    { "linear", linear, "x", "a,b,x,y", LINEAR_STOP, 1e-8, 0, true, linear_form },
    { "vanderpol", van_der_pol, "x", "mu,c,x", 12, 1e-8, 0, true, NULL },
    { "vanderpol-stiff", van_der_pol_stiff, "x", "mu,c,x", 300, 1e-8, 0, true, NULL },
    { "robertson", robertson, "G", "k1,k2,k3", 40, 1e-8, 0, true, NULL },
    { "hires", hires, "y7", "k1,k2,k3,k4,k5,k6,kp,km,ks,kr", 300, 1e-8, 0, true, NULL },
    { "pendulum", pendulum, "x", "L,g,d,x", 3, 1e-8, 0, false, NULL },
    { "heatrod", heat_rod, "G", "k[1:100]", 20, 1e-7, 0, true, NULL },
    { "ball", ball, "y", "e,g,d,y", 5.1358, 1e-8, 0, false, NULL },
    { "bounces", bounces, "h", "e,g", BOUNCES_STOP, 1e-8, 0, false, bounces_form },
    { "rectifier", rectifier, "v", "peak,L,R,C,load", 0.1, 1e-8, 0, false, NULL },
    { "rectifier-dae", rectifier_dae, "v", "peak,L,R,C,load", 0.1, 1e-8, 0, false, NULL },
    { "buck", buck, "v", "period,duty,L,load", 0.9973e-3, 1e-8, 0, false, NULL },
    { "clutch", clutch, "w3", "J1,J2,J3,grip,c", 2.07, 1e-8, 2e-3, false, NULL },
    { "friction", friction, "x[2]", "belt,k,wall,hold", 3, 1e-8, 2e-3, false, NULL },
    { "thermostats", thermostats, "air[3]", "set[3],set[4],power,mix,half", 0.5, 1e-8, 0, false, NULL },
    { "neurons", neurons, "s[3]", "drive,rate,kick,bend", 10, 1e-8, 0, false, NULL },
    { "valve", valve, "tank", "lift,m,c,bulk,back", 0.9, 1e-9, 0, false, NULL },
    { "sampled", sampled, "q", "Ts,kp,kd,ki,c", 2.03, 1e-8, 0, false, NULL },
    { "sampled-stiff", sampled_stiff, "q", "Ts,kp,kd,ki,c", 2.03, 1e-9, 0, false, NULL },
};
const size_t sensitivity_problem_count = COUNT_OF(sensitivity_problems);
