# Libraries: what is found, in which version, what is missing and where it was looked for; installing
# from directories, archives and git directories, as a whole or not at all, without links.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
unset MODELICAPATH
export XDG_DATA_HOME="$dir/data" HOME="$dir/home"
mkdir -p "$dir/home" "$dir/libs/Tools 1.0" "$dir/libs/Tools 2.0" "$dir/libs/Plant"
for v in 1.0 2.0; do
    cat >"$dir/libs/Tools $v/package.mo" <<M
package Tools "Version $v"
  model A
    Real x = $v;
  end A;
  annotation(version = "$v");
end Tools;
M
done
cat >"$dir/libs/Plant/package.mo" <<'M'
package Plant "A plant"
  model Tank
    Real x = 2*time;
  end Tank;
  model Old
    extends Tools.A;
  end Old;
  annotation(version = "3.1", uses(Tools(version = "1.0"), Pipes(version = "7.0")));
end Plant;
M
expect() { # what, exit code, pattern, command
    what=$1 want=$2 pattern=$3
    shift 3
    out=$("$@" 2>&1)
    code=$?
    if [ $code -ne "$want" ] || ! echo "$out" | grep -q -- "$pattern"; then
        echo "failed: $what: exit code $code (want $want), want '$pattern' in:"
        echo "$out"
        failed=1
    fi
}
expect 'all versions are listed' 0 'Tools *1.0 ' "$acausal" library list --lib "$dir/libs"
expect 'the chosen one is marked' 0 'Tools *2.0 *\*' "$acausal" library list --lib "$dir/libs"
expect 'what is missing stands beside it' 0 'Plant .*missing: Pipes 7.0' "$acausal" library --lib "$dir/libs"
expect 'where it was looked for' 0 "looked in $dir/libs" "$acausal" library --lib "$dir/libs"
expect 'a wanted version is found' 0 "uses Tools 1.0: $dir/libs/Tools 1.0\$" "$acausal" library info Plant --lib "$dir/libs"
expect 'and used' 0 'x' "$acausal" flatten Plant.Old --lib "$dir/libs"
expect 'its value, too' 0 '= 1.0' "$acausal" flatten Plant.Old --lib "$dir/libs"
expect 'paths for scripts' 0 "^$dir/libs/Tools 2.0\$" "$acausal" library path Tools --lib "$dir/libs"
expect 'JSON' 0 '"name":"Pipes","version":"7.0","found":"","path":null' "$acausal" library info Plant --json --lib "$dir/libs"
expect 'an unknown library' 1 "no library 'Nope'" "$acausal" library info Nope --lib "$dir/libs"
expect 'no name' 2 'expected the name' "$acausal" library path
expect 'an unknown verb' 2 "expected 'list'" "$acausal" library remove

expect 'install from a directory' 0 "Plant 3.1\$" "$acausal" library install "$dir/libs/Plant"
[ -f "$dir/data/acausal/libraries/Plant 3.1/package.mo" ] || { echo "failed: it is not there"; failed=1; }
expect 'found from then on' 0 '^unknowns 1 ' "$acausal" check Plant.Tank
expect 'not twice' 1 'is there already' "$acausal" library install "$dir/libs/Plant"
expect 'but over it' 0 'Plant 3.1' "$acausal" library install "$dir/libs/Plant" --replace
ln -s /etc/passwd "$dir/libs/Plant/outside.txt"
expect 'links are left out, and told' 0 'E0314' "$acausal" library install "$dir/libs/Plant" --into "$dir/two"
[ -e "$dir/two/Plant 3.1/outside.txt" ] && { echo "failed: a link was copied"; failed=1; }
rm "$dir/libs/Plant/outside.txt"
(cd "$dir" && tar czf libs.tar.gz libs)
expect 'all libraries of an archive' 0 'Tools 2.0' "$acausal" library install "$dir/libs.tar.gz" --into "$dir/three"
[ -f "$dir/three/Tools 1.0/package.mo" ] || { echo "failed: not all of the archive"; failed=1; }
expect 'one of them' 0 'Plant' "$acausal" library install "$dir/libs.tar.gz" --name Plant --into "$dir/four"
[ "$(ls "$dir/four")" = 'Plant 3.1' ] || { echo "failed: more than the one"; failed=1; }
expect 'none of this name' 1 "no library 'Nope'" "$acausal" library install "$dir/libs.tar.gz" --name Nope --into "$dir/four"
echo nonsense >"$dir/bad.tar.gz"
expect 'a broken archive' 1 "'tar' failed" "$acausal" library install "$dir/bad.tar.gz" --into "$dir/five"
echo x >"$dir/odd.txt"
expect 'no archive at all' 1 'neither a library nor an archive' "$acausal" library install "$dir/odd.txt" --into "$dir/five"
[ -z "$(ls -A "$dir/five")" ] || { echo "failed: something is left of what failed"; failed=1; }
if command -v git >/dev/null; then
    (cd "$dir/libs" && git init -q . && git -c user.name=a -c user.email=a@b add . &&
        git -c user.name=a -c user.email=a@b commit -q -m one && git tag one) >/dev/null 2>&1
    expect 'from a git directory' 0 'Plant 3.1' "$acausal" library install "$dir/libs" --revision one --into "$dir/six"
    expect 'no such revision' 1 "'git' failed" "$acausal" library install "$dir/libs" --revision two --into "$dir/seven"
fi
exit $failed
