# `acausal convert`: rules of a conversion script, and all other text as it was.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

mkdir -p "$dir/libs/Lib 2.0" "$dir/libs/Lib 1.0"
echo 'package Lab "old" annotation(version = "1.0"); end Lab;' | sed 's/Lab/Lib/g' > "$dir/libs/Lib 1.0/package.mo"
cat > "$dir/libs/Lib 2.0/package.mo" <<'MO'
package Lib
  annotation(version = "2.0", conversion(noneFromVersion = "1.9",
    from(version = {"1.0", "1.1"}, script = "modelica://Lib/convert.mos")));
end Lib;
MO
cat > "$dir/libs/Lib 2.0/convert.mos" <<'MOS'
// classes
convertClass("Lib.SI", "Lib.Units");
convertClass({"Lib.Pipe", "Lib.Old.Tank"}, {"Lib.Parts.Tube", "Lib.Parts.Tank"});
convertClassIf("Lib.Valve", "kind", "fast", "Lib.FastValve");
convertElement("Lib.Parts.World", "mue", "mu") // without; ")
convertElement("Lib.Pipe", {"len", "port.p"}, {"length", "port.pressure"});
convertModifiers("Lib.Show", {"Value"}, {"number=%Value%"});
convertModifiers("Lib.Show", {"hide=true"}, {"show=not %hide%"});
convertModifiers("Lib.Lin", {"y0=0", "k1=0"}, {"y0=%y0%", "k1=%y0%*%k1%"}, true);
convertModifiers("Lib.Hot", fill("", 0), {"useHeat=true"});
convertModifiers("Lib.Gone", {"extra"}, fill("", 0));
convertMessage("Lib.Lost", "there is no such thing any more");
convertMessage("Lib.Gone", "decide by hand", "hard")
MOS
printf '%s\n' 'package User  "my   text"' \
  '  import SI = Lib.SI; // units' \
  '  import Lib.Old.*;' \
  '  model A' \
  '    Lib.Pipe p(len = 3 + 1,   each x = 2) "a Lib.Pipe"; /* stays */' \
  '    Tank   t;' \
  '    SI.Length h = p.len + p.port.p;' \
  '    Lib.Valve v(kind = Lib.Kinds.fast, k = 1); Lib.Valve w(k = 2);' \
  '    Lib.Show s(Value = time, hide = a or b);' \
  '    Lib.Lin l(y0 = 1 - 2);' \
  '    Lib.Hot c, d(useHeat = false);' \
  '    Lib.Gone g(extra = 1), f(a = 1, extra = 2), e(extra = 1, b = 2, hard = 3);' \
  '    inner Lib.Parts.World world(mue = 4);' \
  '    Lib.Lost lost;' \
  '  end A;' \
  '  model B extends Lib.Pipe(len = 1); Real y = len; end B;' \
  '  model D extends B(len = 2); B b; Real z = len + b.len; end D;' \
  '  model Pipe Real len = 1; end Pipe; Pipe own(len = 2);' \
  '  annotation(uses(Lib(version = "1.0"), Other(version="1.0")));' \
  'end User;' > "$dir/User.mo"
printf '%s\n' 'package User  "my   text"' \
  '  import SI = Lib.Units; // units' \
  '  import Lib.Old.*;' \
  '  model A' \
  '    Lib.Parts.Tube p(length = 3 + 1,   each x = 2) "a Lib.Pipe"; /* stays */' \
  '    Lib.Parts.Tank   t;' \
  '    SI.Length h = p.length + p.port.pressure;' \
  '    Lib.FastValve v(k = 1); Lib.Valve w(k = 2);' \
  '    Lib.Show s(number=time, show=not (a or b));' \
  '    Lib.Lin l(y0=(1 - 2), k1=(1 - 2)*0);' \
  '    Lib.Hot c(useHeat=true), d(useHeat = false);' \
  '    Lib.Gone g, f(a = 1), e(b = 2, hard = 3);' \
  '    inner Lib.Parts.World world(mu = 4);' \
  '    Lib.Lost lost;' \
  '  end A;' \
  '  model B extends Lib.Parts.Tube(length = 1); Real y = length; end B;' \
  '  model D extends B(length = 2); B b; Real z = length + b.length; end D;' \
  '  model Pipe Real len = 1; end Pipe; Pipe own(len = 2);' \
  '  annotation(uses(Lib(version = "2.0"), Other(version="1.0")));' \
  'end User;' > "$dir/wanted.mo"
cp "$dir/User.mo" "$dir/before.mo"

convert() { "$acausal" convert --library Lib --lib "$dir/libs" "$@"; }
check "a dry run says what would change" 0 'files 1  changed 1' convert --to 2.0 --dry-run "$dir/User.mo"
check "and changes nothing" 0 '^$' cmp "$dir/User.mo" "$dir/before.mo"
check "what cannot be converted is told" 0 "'Lib.Lost' cannot be converted: there is no such thing" convert --to 2.0 --dry-run "$dir/User.mo"
check "elements likewise" 0 "'hard' cannot be converted: decide by hand" convert --to 2.0 --dry-run "$dir/User.mo"
check "the conversion" 0 'files 1  changed 1' convert --to 2.0 "$dir/User.mo"
check "rules, and all other text to the byte" 0 '^$' diff "$dir/wanted.mo" "$dir/User.mo"
check "a converted file is not concerned" 0 'changed 0' convert --to 2.0 "$dir/User.mo"
mkdir "$dir/Pack"
echo 'package Pack annotation(uses(Lib(version = "1.9"))); end Pack;' > "$dir/Pack/package.mo"
echo 'within Pack; model M Lib.Pipe p(len = 1); end M;' > "$dir/Pack/M.mo"
check "a version that needs no script changes what it uses" 0 'files 2  changed 1' convert --to 2.0 "$dir/Pack"
check "and nothing else" 0 'Lib.Pipe p\(len = 1\)' cat "$dir/Pack/M.mo"
check "a version without conversion" 1 'no conversion from version 0.5' convert --to 2.0 --from 0.5 "$dir/Pack"
check "a version that is not there" 1 'version 3.0 of .Lib. is not among the libraries' convert --to 3.0 "$dir/Pack"
echo 'model Two Lib.Valve v(kind = fast), w; end Two;' > "$dir/Two.mo"
check "one clause for two classes is told" 0 'several components are declared at once' convert --to 2.0 --from 1.0 "$dir/Two.mo"
check "no version" 2 '--to says' convert "$dir/Pack"
check_end
