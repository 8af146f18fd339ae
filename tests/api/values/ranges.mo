// Ranges, subscripts and reductions over Boolean and enumerations (specification 10.5, 11.2.2).
package ranges
  type E = enumeration(a, b, c);
  //! BoolLoop v[1]=2 v[2]=1
  model BoolLoop
    Real v[Boolean];
  equation
    for b loop
      v[b] = if b then 1 else 2;
    end for;
  end BoolLoop;
  //! BoolSubscript a=2 b=20
  model BoolSubscript
    Real v[Boolean] = {10, 20};
    Real a = if v[true] > 10 then 2 else 1, b = v[time > 0.5];
  end BoolSubscript;
  //! EnumLoop v[1]=1 v[2]=20 v[3]=3
  model EnumLoop
    Real v[E];
  equation
    for e loop
      v[e] = if e == E.b then 20 else Integer(e);
    end for;
  end EnumLoop;
  //! EnumReduction x=6 y=14 m=3
  model EnumReduction
    Real v[E] = {1, 2, 3};
    Real x = sum(Integer(e) for e in E), y = sum(v[e] * Integer(e) for e);
    E m = max(e for e in E);
  end EnumReduction;
  function total
    input Real v[E];
    output Real s = 0;
  algorithm
    for e loop
      s := s + (if e == E.c then 100 else v[e]);
    end for;
  end total;
  //! EnumInFunction s=103
  model EnumInFunction
    Real s = total({1, 2, 3 + time});
  end EnumInFunction;
  record Part
    Real w[Boolean];
  end Part;
  //! BoolOfMember p.w[1]=5 p.w[2]=6
  model BoolOfMember
    Part p;
  equation
    for b loop
      p.w[b] = if b then 6 else 5;
    end for;
  end BoolOfMember;
end ranges;
