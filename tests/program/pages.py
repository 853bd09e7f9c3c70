"""What a page of doc/ tells to type: its scripts are written, its commands are executed one after the other, and
what they print must stand below them. pages.py PROGRAM PAGE [--write]: also puts it there."""

import os
import re
import subprocess
import sys
import tempfile

program, page = (os.path.abspath(path) for path in sys.argv[1:3])
with open(page, encoding="utf-8") as file:
    text = file.read()


def printed(command, environment):
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)
    if done.returncode or done.stderr:
        sys.exit(f"{command}: exit {done.returncode}: {done.stderr}")
    # the time and the number of seconds are not those of the page
    return re.sub(r"written in \S+ s \(.*\)", "written in ... s", done.stdout)


def executed(block, environment):
    """The commands of a block, each with what it prints."""
    out = []
    for line in block.splitlines():
        if line.startswith("$ "):
            out += [line, *printed(line[2:], environment).splitlines()]
    return "\n".join(line.rstrip() for line in out)


with tempfile.TemporaryDirectory() as folder:
    os.symlink(program, os.path.join(folder, "impinge"))
    os.chdir(folder)
    environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"], "OMP_NUM_THREADS": "2"}
    for code in re.findall(r"```python\n(.*?)```", text, re.S):
        with open(re.search(r"(\w+\.py) ", code).group(1), "w", encoding="utf-8") as file:
            file.write(code)
    blocks = re.findall(r"```console\n(.*?)\n```", text, re.S)
    now = text
    for block in blocks:
        now = now.replace(block, executed(block, environment), 1)
    os.chdir("/")

if "--write" in sys.argv:
    with open(page, "w", encoding="utf-8") as file:
        file.write(now)
elif not blocks or now != text:
    for was, is_now in zip(text.splitlines(), now.splitlines()):
        if was != is_now:
            sys.exit(f"{page}: says '{was}', the program prints '{is_now}'")
    sys.exit(f"{page}: the program prints more, or less")
print(f"{len(blocks)} blocks of {os.path.basename(page)} as they stand there")
