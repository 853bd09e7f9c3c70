# What the tests of doc/cluster.md share. A script sources it after ../lib/common.sh:
#
#   begin IMPINGE DOCUMENT PYTHON

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# begin IMPINGE DOCUMENT PYTHON: the working folder is $where, an empty one, which has in.vtkhdf and
# whole.vtkhdf, the result of a single run. `impinge` is that program. `frames`, if set, says how many there are.
begin() {
  document=$2 python=$3
  needs_python "$python" 'h5py, numpy, vtkmodules.vtkIOHDF'
  make_folder
  mkdir "$where/bin"
  ln -s "$1" "$where/bin/impinge"
  export PATH=$where/bin:$PATH
  cd "$where"
  impinge generate cloth-ball -n 4000 --frames "${frames:-50}" -o in.vtkhdf -q
  impinge run in.vtkhdf -o whole.vtkhdf -q
}

# block HEADING N: the N-th block of code below a heading of the document, as it stands there
block() {
  awk -v heading="## $1" -v n="$2" '
    /^## / { inside = $0 == heading }
    /^```/ { code = !code && inside; at += code; next }
    code && at == n { print; found = 1 }
    END { exit !found }' "$document" || fail "$document: \"$1\" has no block $2"
}

# same_result: contacts.vtkhdf is the result of a single run
same_result() {
  impinge info contacts.vtkhdf >info || fail 'info does not take the joined result'
  "$python" -B "$here/same.py" whole.vtkhdf contacts.vtkhdf
}
