#!/usr/bin/env python3
"""Writes the C source of the extension module impinge._engine: declare.py OUT HEADER...

cffi gets its declarations from the headers themselves, in this order, so nothing is declared twice.
"""

import re
import sys
from pathlib import Path

from cffi import FFI


# Functions of Python that the library calls: impinge/_pcs.py.
HOOKS = """
extern "Python" {
    int pcs_forces(void *user, imp_pose *pose, double seconds);
    int pcs_contact(void *user, imp_pose *pose, const imp_pcs_contact *contact, uint8_t *changed);
}
"""


def declarations(text):
    """What cffi reads of a header: no comments, no preprocessor, no C++."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\bIMP_API\b", "", text)


def main(out, *headers):
    ffi = FFI()
    for header in headers:
        ffi.cdef(declarations(Path(header).read_text()))
    ffi.cdef(HOOKS)
    includes = "\n".join(f'#include "{Path(header).name}"' for header in headers)
    ffi.set_source("impinge._engine", includes)
    ffi.emit_c_code(out)
    # cffi 1.15, that of Debian 12, writes the const of a pointer to an array where C does not take it
    path = Path(out)
    path.write_text(re.sub(r"(\w+)\(const \* \*tmp\)", r"const \1(* *tmp)", path.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
