#!/usr/bin/env bash
# What the shells complete: bash by asking its function, zsh (where it is) by pressing Tab in it.
# completion.sh PROGRAM
source "$(dirname "$0")/../lib/common.sh"
impinge=$(realpath "$1")
make_folder
cd "$where"
failed=0

wrong() {
  echo "$1"
  failed=1
}

# ---- bash

"$impinge" help --completion bash >impinge.bash
"$impinge" help --completion zsh >_impinge
source ./impinge.bash
complete -p impinge >registered || wrong 'bash: not registered'
grep -q -- '-o default -F _impinge impinge' registered || wrong 'bash: registered otherwise'

# words of the line as bash cuts it ("=" is a word); the last is what is completed
ask() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _impinge
  printf '%s ' "${COMPREPLY[@]}"
}

expect() { # expect 'ANSWER' WORD...
  local want=$1 have
  shift
  have=$(ask "$@" 2>errors | xargs) || wrong "bash: $*: exit $?"
  [ ! -s errors ] || wrong "bash: $*: $(cat errors)"
  [ "$have" = "$want" ] || wrong "bash: '$*' gives '$have', not '$want'"
}

verbs=$("$impinge" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' | xargs)
package=$("$impinge" --help | sed -n '/^verbs of the Python package/,/^$/s/^  \([a-z]*\) .*/\1/p' | xargs)
[[ $verbs == *run*check* && " $package " == *' report '* ]] || fail "--help names these verbs: $verbs, $package"
expect "$verbs $package --help --version" impinge ''
expect 'run' impinge ru
expect "$verbs $package" impinge help ''
expect 'report' impinge rep
expect '' impinge report '' # files
expect 'self' impinge run x.vtkhdf --pairs s
expect 'all self between' impinge run --pairs ''
expect 'all self between' impinge run --pairs =
expect 'between' impinge run --pairs = b
expect 'cpu' impinge bench --device c
expect 'id connected array:' impinge run --objects ''
expect '6 8 14 18 26' impinge run --dop ''
expect 'bash zsh' impinge help --completion ''
expect '--collide-txt' impinge run --col
expect '--resume' impinge run a.vtkhdf -o b.vtkhdf --res
expect '' impinge generate soup --res
expect 'spheres soup scan sheets scalpel' impinge generate -o b.vtkhdf s
for file in 'run' 'run a -o' 'run a --output' 'run a --json =' 'convert' 'convert a.obj' 'info' \
  'check a --input' 'run a --object-pairs' 'run a -- -'; do
  expect '' impinge $file '' # nothing: bash goes on with files
done
expect '' impinge run --threads ''
expect '' impinge convert --joints a=
expect '' impinge devices ''

# all options of help, and no others
for verb in $verbs; do
  "$impinge" "$verb" --help | grep -oE '^ .{5}--[a-z0-9-]+' | grep -oE -e '--.*' | sort >told
  ask impinge "$verb" -- | tr " " "\n" | sort >offered
  sed -n "/^    ($verb)\$/,/;;/p" _impinge | grep -oE "^ +'(\(-. )?--[a-z0-9-]+" |
    grep -oE -e '--.*' | sort >offered_zsh
  [ -s told ] || wrong "$verb: --help has no options"
  cmp -s told offered_zsh || wrong "zsh: options of $verb: $(diff told offered_zsh || true)"
  cmp -s told offered || wrong "bash: options of $verb: $(diff told offered || true)"
done

# ---- zsh: a terminal of its own, in which Tab is pressed

if command -v zsh >/dev/null; then
  zsh -n _impinge || wrong 'zsh: syntax'
  cat >tab.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
send() { zpty -w shell "$1" }
await() { zpty -r shell REPLY "*$1*" }
send "fpath=($PWD \$fpath); autoload -Uz compinit; compinit -D -u; PS1='' ; unsetopt zle_bracketed_paste"
send "zle -C all complete-word none; zstyle ':completion:*' list-grouped no; setopt no_list_ambiguous"
# what is inserted is printed by the line itself when it runs
send "impinge() { print -r -- \"<\$*>\" }; print re''ady"
await ready
for line in "$@"; do
  zpty -w -n shell "$line"$'\t\n'
  await '<[^$]*>'
  print -r -- "${${REPLY##*<}%%>*}"
done
zpty -d shell
END
  tab() { # tab 'WHAT IT BECOMES' 'LINE'
    local have
    have=$(timeout 200 zsh -f tab.zsh "$2" | tr -d '\r' | xargs) || wrong "zsh: '$2': exit $?"
    [ "$have" = "$1" ] || wrong "zsh: '$2' becomes '$have', not '$1'"
  }
  tab 'generate' 'impinge gen'
  tab 'run --pairs between' 'impinge run --pairs bet'
  tab "run --collide-txt" 'impinge run --coll'
  tab 'generate cloth-ball' 'impinge generate cloth-b'
  tab 'help version' 'impinge help vers'
  tab 'report' 'impinge repo'
else
  skip_part 'no zsh: only bash was asked'
fi
exit $failed
