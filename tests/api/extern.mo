// Models for extern_test.c: each calls external functions, of the program, of LAPACK, or of a library that the test makes.
package extern
  class Table "a table of one variable"
    extends ExternalObject;
    function constructor
      input Real points[:, :];
      input Integer columns[:];
      input Integer smoothness;
      input Integer extrapolation = 2;
      output Table table;
      external "C" table = ModelicaStandardTables_CombiTable1D_init3("NoName", "NoName", points, size(points, 1), size(points, 2), columns, size(columns, 1), smoothness, extrapolation, false, ",", 0);
    end constructor;
    function destructor
      input Table table;
      external "C" ModelicaStandardTables_CombiTable1D_close(table);
    end destructor;
  end Table;

  function look
    input Table table;
    input Integer column;
    input Real u;
    output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(table, column, u);
    annotation(derivative = look_der);
  end look;

  function look_der
    input Table table;
    input Integer column;
    input Real u;
    input Real der_u;
    output Real der_y;
    external "C" der_y = ModelicaStandardTables_CombiTable1D_getDerValue(table, column, u, der_u);
    annotation(derivative(order = 2) = look_der2);
  end look_der;

  function look_der2
    input Table table;
    input Integer column;
    input Real u;
    input Real der_u;
    input Real der2_u;
    output Real der2_y;
    external "C" der2_y = ModelicaStandardTables_CombiTable1D_getDer2Value(table, column, u, der_u, der2_u);
  end look_der2;

  function look_plain "without a derivative"
    input Table table;
    input Integer column;
    input Real u;
    output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(table, column, u);
  end look_plain;

  model Lookup
    parameter Real points[:, :] = [0, 0, 5; 1, 1, 4; 2, 4, 3; 3, 9, 2];
    parameter Real last = 9;
    Table table = Table(points, {2, 3}, 1);
    Table moved = Table([0, 0; 3, last], {2}, 1);
    Real y = look(table, 1, 2.5*time), z = look(table, 2, time), m = look(moved, 1, 1);
  end Lookup;

  // x follows the table, and so do its first and second derivative.
  model Twice
    Table table = Table([-1, 1; 0, 0; 1, 1; 2, 4; 3, 9; 4, 16], {2}, 2);
    Real x, v, a, u(start = 0.2, fixed = true);
    Real f "force that is needed";
  equation
    der(u) = 1;
    x = look(table, 1, u);
    v = der(x);
    a = der(v);
    f = 2*a;
  end Twice;

  // The state is in a nonlinear equation: Newton needs the derivative of the table.
  model Implicit
    Table table = Table([0, 0; 1, 1; 2, 4; 3, 9; 4, 16], {2}, 2);
    Real p(start = 1, fixed = true), q(start = 1.5), r(start = 1.5);
  equation
    der(p) = 1;
    look(table, 1, q) = p + 1;
    look_plain(table, 1, r) = p + 1;
  end Implicit;

  function solve
    input Real A[:, size(A, 1)];
    input Real b[size(A, 1)];
    output Real x[size(A, 1)] = b;
    output Integer info;
  protected
    Real work[size(A, 1), size(A, 1)] = A;
    Integer pivots[size(A, 1)];
    external "FORTRAN 77" dgesv(size(A, 1), 1, work, size(A, 1), pivots, x, size(A, 1), info);
  end solve;

  function norm
    input String kind;
    input Real A[:, :];
    output Real value;
  protected
    Real work[size(A, 1)];
    Integer n = size(A, 1);
    external "FORTRAN 77" value = dlange(kind, n, size(A, 2), A, n, work);
  end norm;

  model Lapack
    Real x[3];
    Integer info;
    Real largest = norm("M", [1, 2*time; 3, -4]), rows = norm("I", [1, 2; 3, -4]);
    parameter Real fixed_x[2] = solve([2, 0; 1, 1], {4, 3});
  equation
    (x, info) = solve([2, 1, 0; 1, 3, time; 0, 1, 4], {3, 5.25, 6});
  end Lapack;

  function random
    input Integer before[2];
    output Real r;
    output Integer state[2];
    external "C" ModelicaRandom_xorshift64star(before, state, r);
  end random;

  model Noise
    Integer state[2](start = {12345, 678}, each fixed = true);
    Real r(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    when sample(0.1, 0.1) then
      (r, state) = random(pre(state));
      n = pre(n) + 1;
    end when;
  end Noise;

  function length
    input String s;
    output Integer n;
    external "C" n = ModelicaStrings_length(s);
  end length;

  function part
    input String s;
    input Integer first, last;
    output String t;
    external "C" t = ModelicaStrings_substring(s, first, last);
  end part;

  model Strings
    parameter String name = "alpha" + String(12);
    parameter Integer n = length(name);
    String s(start = "before");
    Boolean late = s == "behind 3";
    Integer k = length(s + name);
    Boolean less = s < "c";
    String t = if late then part(s, 1, 2) else "none";
    Boolean is_be = t == "be";
    Real a[length(part("abcd", 2, 3))] = {1, 2} "a size by a call";
  equation
    when time > 0.5 then
      s = "behind " + String(integer(6*time));
    end when;
  end Strings;

  impure function count
    input Integer id;
    output Integer n;
    external "C" n = ext_count(id) annotation(Library = "counter", LibraryDirectory = "modelica://extern");
  end count;

  model Once "an impure function is called once in an event"
    Integer n(start = 0, fixed = true);
    Boolean odd = n > 1;
  equation
    when {time > 0.25, time > 0.5, time > 0.75} then
      n = count(if odd then 7 else 7);
    end when;
  end Once;

  record Pair
    Real a;
    Real b;
  end Pair;

  function swap
    input Pair p;
    output Pair q;
    external "C" ext_swap(p, q) annotation(Library = "counter", LibraryDirectory = "modelica://extern");
  end swap;

  function mean
    input Real x[:];
    input Integer w[size(x, 1)];
    input Boolean shout;
    output Real y;
    output Integer most;
    external "C" ext_mean(x, w, size(x, 1), shout, y, most) annotation(Library = "counter", LibraryDirectory = "modelica://extern");
  end mean;

  function refuse
    input Real x;
    output Real y;
    external "C" y = ext_refuse(x) annotation(Library = "counter", LibraryDirectory = "modelica://extern");
  end refuse;

  function column_sum
    input Real A[:, :];
    input Integer j;
    output Real y;
    external "FORTRAN 77" y = ext_column(A, size(A, 1), size(A, 2), j) annotation(Library = "counter", LibraryDirectory = "modelica://extern");
  end column_sum;

  model User
    Pair q = swap(Pair(time, 7));
    Real y, c = column_sum([1, 2; 30, 40; 500, 600], 2);
    Integer most;
  equation
    (y, most) = mean({1, 2*time, 6}, {1, 1, 4}, true);
  end User;

  model Refuses
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1 + 0*refuse(x);
  end Refuses;

  function missing
    input Real x;
    output Real y;
    external "C" y = ext_nowhere(x) annotation(Library = "counter", LibraryDirectory = "modelica://extern");
  end missing;

  model Missing
    Real y = missing(time);
  end Missing;

  function twice
    input Real x;
    output Real y;
    external "C" y = twice(x) annotation(Include = "static double twice(double x) { return 2*x; }");
  end twice;

  record Inner
    Integer k;
    Real z;
  end Inner;

  record Mixed
    Integer i;
    Boolean b;
    Real x;
    Inner deep;
    String s;
  end Mixed;

  function change_mixed
    input Mixed r;
    input Real u;
    output Mixed q;
    output Real y;
    external "C" change_mixed(r, u, q, y) annotation(Include = "
#include <string.h>
typedef struct { int i; int b; double x; struct { int k; double z; } deep; const char *s; } Mixed;
static void change_mixed(const Mixed *r, double u, Mixed *q, double *y)
{ *q = *r; q->i++; q->x = u*r->x; q->deep.k = 7; *y = strlen(r->s) + r->deep.z; }");
  end change_mixed;

  function make_mixed
    input Real u;
    output Mixed q;
    external "C" q = make_mixed(u) annotation(Include = "
typedef struct { int i; int b; double x; struct { int k; double z; } deep; const char *s; } Made;
static Made make_mixed(double u) { Made q = { 3, 1, u, { 4, 2*u }, \"text\" }; return q; }");
  end make_mixed;

  class Counter
    extends ExternalObject;
    function constructor
      input Integer first;
      output Counter c;
      external "C" c = counter_new(first) annotation(Include = "#include \"counter.h\"", IncludeDirectory = "modelica://extern");
    end constructor;
    function destructor
      input Counter c;
      external "C" counter_free(c) annotation(Include = "#include \"counter.h\"", IncludeDirectory = "modelica://extern");
    end destructor;
  end Counter;

  function counted
    input Counter c;
    input Real x;
    output Integer n;
    external "C" n = counter_value(c) annotation(Include = "#include \"counter.h\"", IncludeDirectory = "modelica://extern");
  end counted;

  function own_name "C text with a function that libraries of the process have, too"
    input Real x;
    output Real y;
    external "C" y = own_name(x) annotation(Include = "
      void *compressBound(void *none, double x, double *y) { *y = 5*x; return none; }
      double own_name(double x) { double y = 0; compressBound(0, x, &y); return y; }");
  end own_name;

  model OwnName
    Real y = own_name(time);
  end OwnName;

  model Included "Functions share the text that they include, and are called while the model is built, too"
    parameter Integer n6 = integer(twice(3));
    Real y = twice(time), z, a[n6] = fill(time, n6);
    Mixed q, m = make_mixed(time);
    Counter c = Counter(3);
    Integer n;
  equation
    (q, z) = change_mixed(Mixed(4, true, 2.5, Inner(1, 0.5), "abc"), time);
    when initial() then
      n = counted(c, time);
    end when;
  end Included;

  record Part
    Real a;
    Integer n;
    Real v[2];
  end Part;

  record Around
    Real p;
    Part part;
  end Around;

  function fill_parts "an array of structures comes back"
    input Integer n;
    output Part r[n];
    external "C" fill_parts(n, r) annotation(Include = "
      typedef struct { double a; int n; double v[2]; } PartOfC;
      static void fill_parts(int n, void *p)
      {
          PartOfC *r = p;
          for (int i = 0; i < n; i++) { r[i].a = i + 0.5; r[i].n = 10*i; r[i].v[0] = i; r[i].v[1] = -i; }
      }");
  end fill_parts;

  function sum_parts "left out: the array of structures, and its size"
    input Part r[:];
    output Real y;
    external "C" annotation(Include = "
      typedef struct { double a; int n; double v[2]; } PartToC;
      static double sum_parts(const void *p, size_t n)
      {
          const PartToC *r = p;
          double y = 0;
          for (size_t i = 0; i < n; i++) y += r[i].a + r[i].n + r[i].v[0] + 2*r[i].v[1];
          return y;
      }");
  end sum_parts;

  function sum_around "an array in a structure in a structure"
    input Around i;
    output Real y;
    external "C" y = sum_around(i) annotation(Include = "
      typedef struct { double p; struct { double a; int n; double v[2]; } part; } AroundC;
      static double sum_around(const void *q)
      {
          const AroundC *i = q;
          return i->p + i->part.a + i->part.n + i->part.v[0] + i->part.v[1];
      }");
  end sum_around;

  function scale_matrix "left out: arrays with their sizes, in and out"
    input Real m[:, :];
    input Real k;
    output Real r[size(m, 1), size(m, 2)];
    external "C" annotation(Include = "
      static void scale_matrix(const double *m, size_t a, size_t b, double k, double *r, size_t c, size_t d)
      {
          for (size_t i = 0; i < a * b && a == c && b == d; i++) r[i] = k * m[i];
      }");
  end scale_matrix;

  model Structures
    Part r[3] = fill_parts(3);
    Real y = sum_parts(r) + 0*time, z = sum_around(Around(time, Part(1, 2, {3, 4})));
    Real w[2, 2] = scale_matrix([1, 2; 3, time], 2);
  end Structures;

  function wrong_text
    input Real x;
    output Real y;
    external "C" y = wrong_text(x) annotation(Include = "double wrong_text(double x) { return x +; }");
  end wrong_text;

  model WrongText
    Real y = wrong_text(time);
  end WrongText;

  model Outside
    Table table = Table([0, 0; 1, 1], {2}, 1, 4);
    Real y = look(table, 1, 2*time);
  end Outside;
end extern;
