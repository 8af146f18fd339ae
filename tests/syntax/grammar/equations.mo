model E
  Real x, y[3];
initial equation
  x = 0 "start";
equation
  der(x) = -x + (if x > 0 then 1 elseif x < -1 then 2 else 3);
  (x, , y[1]) = f(1, b = 2);
  connect(a.b[1].c, .d[:, end]) annotation(Line(points = {{0, 0}}));
  assert(x > 0, "message" + String(x, significantDigits = 3), AssertionLevel.warning) "checked";
  if initial() then
    x = 1;
  elseif sample(0, 1) and not pre(x) > 2 then
    y = {1, 2, 3};
  else
    for i in 1:3, j loop
      y[i] = j;
    end for;
  end if;
  when {x > 1, edge(b)} then
    reinit(x, pre(x));
  elsewhen change(n) then
    terminate("done");
  end when;
  Clock(1, 10);
  transition(a, b, x > 1, immediate = false);
  [x, 1; 2, 3] = z;
algorithm
  x := 1;
  (x, y) := f(x);
  while x < 10 loop
    x := x + 1;
    if x == 5 then break; end if;
  end while;
  for i in {1, 2}, j in 1:2:9 loop y[i] := j; end for;
  when x <> 1 then return; end when;
  .Global.f(x) "a call";
initial algorithm
  y := zeros(3);
public
  Real late;
end E;
