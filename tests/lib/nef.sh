# Programs of tests/oracles that need CGAL, which takes a minute to compile.

# nef_program BESIDE NAME: compiles oracles/NAME.cpp to $program, beside the program BESIDE
nef_program() {
  local oracles
  oracles=$(dirname "${BASH_SOURCE[0]}")/../oracles
  program=$(dirname "$1")/$2
  command -v c++ >/dev/null || skip 'no C++ compiler'
  echo '#include <CGAL/Nef_polyhedron_3.h>' | c++ -std=c++17 -E -x c++ - >/dev/null 2>&1 || skip 'no CGAL'
  if [ ! "$program" -nt "$oracles/$2.cpp" ] || [ ! "$program" -nt "$oracles/nef_meshes.h" ]; then
    c++ -std=c++17 -O2 -frounding-math -o "$program.new" "$oracles/$2.cpp" -lgmp -lmpfr
    mv "$program.new" "$program"
  fi
}
