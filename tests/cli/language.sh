# What the language's larger constructs mean, shown by runs: each model asserts its own closed form.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat > "$dir/M.mo" <<'MO'
package M
  // x(k) = k*(k + 1)/2 at tick k; y sees every third value, z holds between ticks.
  model Clocked
    Real n(start = -1), x(start = 0), y, z;
    Integer k(start = -1, fixed = true);
  equation
    n = previous(n) + sample(1.0, Clock(1, 10));
    x = previous(x) + n;
    y = subSample(x, 3);
    z = hold(x);
    when sample(0.05, 0.1) then
      k = pre(k) + 1;
      assert(abs(z - k*(k + 1)/2) < 1e-9, "the clocked sum");
      assert(abs(hold(y) - div(k, 3)*3*(div(k, 3)*3 + 1)/2) < 1e-9, "every third value of it");
    end when;
  end Clocked;

  connector Port
    Real p;
    flow Real m;
    stream Real h;
  end Port;
  model Source
    parameter Real m, h;
    Port a;
  equation
    a.m = -m;
    a.h = h;
  end Source;
  model Sink
    Port a;
    Real h = inStream(a.h);
  equation
    a.p = 1;
    a.h = 0;
  end Sink;
  // 2 kg/s of 10 and 3 kg/s of 20 mix to 16.
  model Mixed
    Source a(m = 2, h = 10), b(m = 3, h = 20);
    Sink s;
  equation
    connect(a.a, s.a);
    connect(b.a, s.a);
    assert(abs(s.h - 16) < 1e-9, "the mean");
  end Mixed;

  operator record Pair
    Real x, y;
    encapsulated operator 'constructor'
      function make
        import M.Pair;
        input Real x;
        input Real y = 0;
        output Pair p(x = x, y = y);
      algorithm
      end make;
    end 'constructor';
    encapsulated operator function '*'
      import M.Pair;
      input Pair a, b;
      output Pair c;
    algorithm
      c := Pair(a.x*b.x - a.y*b.y, a.x*b.y + a.y*b.x);
    end '*';
  end Pair;
  // Turning by the angle t.
  model Turned
    Pair z = Pair(3, 4)*Pair(cos(time), sin(time))*2;
  equation
    assert(abs(z.x^2 + z.y^2 - 100) < 1e-9, "the length");
    assert(abs(z.x - 2*(3*cos(time) - 4*sin(time))) < 1e-9, "the first part");
  end Turned;

  record Direction
    Real c, s;
    function equalityConstraint
      input Direction a, b;
      output Real r[1] = {a.c*b.s - a.s*b.c};
    end equalityConstraint;
  end Direction;
  connector Flange
    Direction d;
    flow Real t;
  end Flange;
  model Fixed
    Flange f;
  equation
    Connections.root(f.d);
    f.d = Direction(1, 0);
  end Fixed;
  model Turn
    Flange a, b;
    Real phi;
  equation
    Connections.branch(a.d, b.d);
    b.d.c = cos(phi)*a.d.c - sin(phi)*a.d.s;
    b.d.s = sin(phi)*a.d.c + cos(phi)*a.d.s;
    a.t + b.t = 0;
  end Turn;
  // Three turns close a ring: the last one is minus the others.
  model Ring
    Fixed r;
    Turn u, v, w(phi(start = -1));
  equation
    connect(r.f, u.a);
    connect(u.b, v.a);
    connect(v.b, w.a);
    connect(w.b, r.f);
    w.a.t = 0;
    u.phi = 0.5;
    v.phi = 0.3*time;
    assert(abs(w.phi + 0.5 + 0.3*time) < 1e-6, "the ring is closed");
  end Ring;

  expandable connector Bus
  end Bus;
  connector In = input Real;
  connector Out = output Real;
  block Sender
    Bus bus;
    Out y = time^2;
  equation
    connect(y, bus.signal);
  end Sender;
  block Receiver
    Bus bus;
    In u;
  equation
    connect(bus.signal, u);
  end Receiver;
  model Wired
    Sender s;
    Receiver r;
  equation
    connect(s.bus, r.bus);
    assert(abs(r.u - time^2) < 1e-12, "the signal");
  end Wired;
end M;
MO

for model in Clocked Mixed Turned Ring Wired; do
    check "$model" 0 '^t = 2 ' "$acausal" simulate "$dir/M.mo" M.$model --stop 2
    check "the flat text of $model runs as well" 0 '^t = 2 ' sh -c "'$acausal' flatten '$dir/M.mo' M.$model > '$dir/flat.mo' && '$acausal' simulate '$dir/flat.mo' --stop 2"
done

check_end
