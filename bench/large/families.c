/* families.c: the texts. What grows in each is what a simulator may get wrong: states, a loop of
 * algebraic unknowns, a chain of constraints, events, parameters. Tests: tests/cli/bench.sh. */
#include "bench/large/large.h"

static const char heat[] =
    "model Large \"a plate, heated at one side\"\n"
    "  parameter Integer n = %u;\n  parameter Real k = 1e-4*n^2;\n"
    "  Real T[n,n](each start = 300, each fixed = true);\n"
    "equation\n  for i in 1:n loop\n    for j in 1:n loop\n"
    "      der(T[i,j]) = k*((if i > 1 then T[max(i-1, 1),j] else 330) + T[min(i+1, n),j]\n"
    "        + T[i,max(j-1, 1)] + T[i,min(j+1, n)] - 4*T[i,j]);\n"
    "    end for;\n  end for;\nend Large;\n";

static const char line[] =
    "model Large \"a line of coils and capacitors\"\n"
    "  parameter Integer n = %u;\n  parameter Real L = 1/n, C = 1/n, R = 0.1/n;\n"
    "  Real v[n](each start = 0, each fixed = true), i[n](each start = 0, each fixed = true);\n"
    "equation\n  for k in 1:n loop\n"
    "    L*der(i[k]) = (if k > 1 then v[max(k-1, 1)] else 1 - exp(-5*time)) - v[k] - R*i[k];\n"
    "    C*der(v[k]) = i[k] - (if k < n then i[min(k+1, n)] else v[k]);\n"
    "  end for;\nend Large;\n";

static const char swing[] =
    "model Large \"a grid of generators\"\n"
    "  parameter Integer n = %u;\n  parameter Real b = 4, d = 0.5;\n"
    "  Real a[n,n](each start = 0, each fixed = true), w[n,n](each start = 0, each fixed = true);\n"
    "equation\n  for i in 1:n loop\n    for j in 1:n loop\n"
    "      der(a[i,j]) = w[i,j];\n"
    "      der(w[i,j]) = (if mod(i + j, 2) == 0 then 0.5 else -0.5) - d*w[i,j]\n"
    "        - b*(sin(a[i,j] - a[max(i-1, 1),j]) + sin(a[i,j] - a[min(i+1, n),j])\n"
    "        + sin(a[i,j] - a[i,max(j-1, 1)]) + sin(a[i,j] - a[i,min(j+1, n)]));\n"
    "    end for;\n  end for;\nend Large;\n";

static const char mesh[] =
    "model Large \"states beside a mesh of curved resistors, which is one loop\"\n"
    "  parameter Integer n = %u;\n"
    "  Real u[n,n](each start = 0, each fixed = true), w[n,n](each start = 0);\n"
    "equation\n  for i in 1:n loop\n    for j in 1:n loop\n"
    "      der(u[i,j]) = 5*(w[i,j] - u[i,j]);\n"
    "      w[i,j] + 0.1*w[i,j]^3 - u[i,j] = (if i > 1 then w[max(i-1, 1),j] else 1) + w[min(i+1, n),j]\n"
    "        + w[i,max(j-1, 1)] + w[i,min(j+1, n)] - 4*w[i,j];\n"
    "    end for;\n  end for;\nend Large;\n";

static const char chain[] =
    "model Large \"a chain of rods that swings: masses at the ends of rods that have none\"\n"
    "  parameter Integer n = %u;\n  parameter Real l = 1/n, m = 1/n, g = 9.81, d = 1e-3/n;\n"
    "  Real p[n](each start = 0.5, each fixed = true), w[n](each start = 0, each fixed = true);\n"
    "  Real a[n], x[n], y[n], fx[n+1], fy[n+1];\n"
    "equation\n  fx[n+1] = 0;\n  fy[n+1] = 0;\n  for i in 1:n loop\n"
    "    der(p[i]) = w[i];\n    der(w[i]) = a[i];\n"
    "    x[i] = (if i > 1 then x[max(i-1, 1)] else 0) + l*(cos(p[i])*a[i] - sin(p[i])*w[i]^2);\n"
    "    y[i] = (if i > 1 then y[max(i-1, 1)] else 0) + l*(sin(p[i])*a[i] + cos(p[i])*w[i]^2);\n"
    "    m*x[i] = fx[i] - fx[i+1];\n    m*y[i] = fy[i] - fy[i+1] - m*g;\n"
    "    l*(fx[i]*cos(p[i]) + fy[i]*sin(p[i])) = -d*w[i];\n"
    "  end for;\nend Large;\n";

static const char thermostats[] =
    "model Large \"rooms with thermostats: events, one room at a time\"\n"
    "  parameter Integer n = %u;\n"
    "  Real T[n](start = {17 + mod(7*i, 40)/10 for i in 1:n}, each fixed = true);\n"
    "  Boolean on[n](each start = false, each fixed = true);\n"
    "equation\n  for i in 1:n loop\n"
    "    der(T[i]) = 0.1*(10 - T[i]) + (if on[i] then 2 + 0.5*i/n else 0);\n"
    "    when {T[i] < 18, T[i] > 21} then\n      on[i] = T[i] < 19.5;\n    end when;\n"
    "  end for;\nend Large;\n";

static const char table[] =
    "model Large \"a table that a function makes\"\n"
    "  function f\n    input Integer n;\n    output Real y[n,n];\n  algorithm\n"
    "    for i in 1:n loop\n      for j in 1:n loop\n        y[i,j] := sin(i/n) + j;\n"
    "      end for;\n    end for;\n  end f;\n"
    "  parameter Integer n = %u;\n  parameter Real t[n,n] = f(n);\n"
    "  Real x(start = 1, fixed = true);\nequation\n  der(x) = t[1,n] - n*x;\nend Large;\n";

static const LargeFamily families[] = {
    { "heat", "heat in a plate: a sparse stiff system", heat, { 20, 40, 80 }, 10 },
    { "line", "waves along a line: nothing is stiff", line, { 500, 1000, 2000 }, 1 },
    { "swing", "generators on a grid, damped", swing, { 20, 40, 80 }, 5 },
    { "mesh", "states beside a loop of as many unknowns", mesh, { 15, 30, 60 }, 2 },
    { "chain", "rods: a linear loop in each evaluation", chain, { 40, 80, 160 }, 0.2 },
    { "thermostats", "events of rooms", thermostats, { 50, 100, 200 }, 20 },
    { "table", "parameters that a function makes", table, { 50, 100, 200 }, 1 },
};

const LargeFamily *bench_large_family(size_t i)
{
    return i < sizeof families / sizeof families[0] ? &families[i] : NULL;
}
