// Comprehensions and reductions of arrays and records in functions (specification 10.3.4, 10.4.1).
package comprehensions
  record R
    Real a;
    Real b[2];
  end R;
  function rowSums
    input Real v[:, :];
    output Real w[size(v, 1)];
  algorithm
    w := sum(v[:, k] for k in 1:size(v, 2));
  end rowSums;
  //! SumOfColumns w[1]=2 w[2]=5
  model SumOfColumns
    Real w[2] = rowSums({{time, 1}, {2, 3}});
  end SumOfColumns;
  function several
    input Integer n;
    output R r[n];
  algorithm
    r := {R(i, {i, 2 * i}) for i in 1:n};
  end several;
  function total
    input Integer n;
    output Real s;
  protected
    R r[n];
  algorithm
    r := several(n);
    s := sum(x.a + x.b[2] for x in r);
  end total;
  //! Records s=18
  model Records
    Integer n = integer(2.5 * time) + 1;
    Real s = total(n);
  end Records;
  function table
    input Integer n;
    output Real s;
  protected
    Real m[n, n, 2];
  algorithm
    m := {{i, j} for j in 1:n, i in 1:n};
    s := m[n, 1, 1] + 10 * m[1, n, 2];
  end table;
  //! Nested s=33 t=36
  model Nested
    function product
      input Integer n;
      output Real m[n, 3];
    algorithm
      m := {{i * j for j in 1:3} for i in 1:n};
    end product;
    function sumOf
      input Integer n;
      output Real s;
    algorithm
      s := sum(product(n));
    end sumOf;
    Integer n = integer(2.5 * time) + 1;
    Real s = table(n), t = sumOf(n);
  end Nested;
  //! SumOfVectors s[1]=6 s[2]=14
  model SumOfVectors
    function f
      input Integer n;
      output Real s[2];
    algorithm
      s := sum({i, i ^ 2} for i in 1:n);
    end f;
    Integer n = integer(2.5 * time) + 1;
    Real s[2] = f(n);
  end SumOfVectors;
  //! Texts ok=1
  model Texts
    function join
      input String s[:];
      output String r;
    protected
      String t[size(s, 1)];
    algorithm
      t := {x + "!" for x in s};
      r := t[1] + t[2];
    end join;
    Integer ok = if join({"a", "b"}) == "a!b!" then 1 else 0;
  end Texts;
end comprehensions;
