"""Times impinge and other libraries on the same primitives, in turns: README.md in this folder."""

import argparse
import itertools
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import against
import arguments
import check
import report
import scenes
from arguments import BUILD, is_program
from contestants import THREADS, all_impinges, all_peers, say
from rows import all_rows, choose_rows
from turns import RACE_ROUNDS, RACE_SECONDS, Runner, measure, measure_together

OUT = BUILD / "bench/out"
RESULTS = scenes.HERE / "results"


FEW_REPS = {"large": 3, "sizes": 5}  # of groups whose repetitions are long: at most


def reps_of(row, args):
    return min(args.reps, FEW_REPS.get(row.group, args.reps))


def count_grown(row, contestants):
    """Candidates of boxes as large as those in float32 may be: as the first peer with exact boxes
    counts them, which all know the stage `grown`. 0 if there is none."""
    exact = [c for c in contestants if c.is_peer and c.takes(row) and row.stage in c.exact]
    if row.stage != "candidates" or not exact:
        return 0
    runner = Runner(exact[0], replace(row, stage="grown"))
    runner.turn()
    runner.finish()
    pairs = runner.pairs or 0
    say("%s: %d pairs of boxes grown by 2^-22 of the frame's half extent" % (row.name, pairs))
    return pairs


def judge_row(row, runners, contestants, results, faults):
    primitives = scenes.primitives_of(row)
    for r in runners:
        if r.failure:
            say("%s: %s failed: %s" % (row.name, r.who.name, r.failure))
            if not r.who.is_peer:
                faults.append("%s: impinge failed on %s" % (row.name, r.who.name))
    done = [r.result(row, primitives) for r in runners if not r.failure]
    report.add_ratios(done)
    grown = count_grown(row, contestants) if report.many_extra(done) else 0
    faults += report.count_faults(row, done, grown)
    say(report.one_line(row, done))
    results += done


def wanted_rows(args):
    scenes.forget_old()
    some = args.apart.rows() if args.apart else all_rows(args.large, args.awkward, args.hash, args.trees)
    rows = choose_rows(args.rows, some)
    if not rows:
        sys.exit("no such row")
    return rows


def measure_all(args):
    rows = wanted_rows(args)
    contestants = (
        args.apart.contestants(args.impinge, BUILD, args.isa)
        if hasattr(args.apart, "contestants")
        else all_impinges(args.impinge, BUILD, args.isa) + all_peers(BUILD, args.isa, args.trees)
    )
    say("%d rows; %s" % (len(rows), ", ".join(c.name for c in contestants)))
    results, faults = [], []
    if hasattr(args.apart, "together"):
        for row in rows:
            scenes.make(args.impinge, row, row.peers)
        for _, some in itertools.groupby(rows, args.apart.together):
            some = list(some)
            together = measure_together(some, contestants, reps_of(some[0], args))
            for row, runners in zip(some, together):
                judge_row(row, runners, contestants, results, faults)
        return results, faults
    for row in rows:
        scenes.make(args.impinge, row, row.peers)
        runners = measure(row, contestants, reps_of(row, args))
        judge_row(row, runners, contestants, results, faults)
    return results, faults


# ---- against another impinge


def race_all(args):
    """Both programs on every device that both have. Returns races and faults."""
    rows = wanted_rows(args)
    new, old = (
        {c.name: c for c in all_impinges(p, BUILD, args.isa) if c.held}
        for p in (args.impinge, args.against)
    )
    both = [name for name in new if name in old]
    for name in new.keys() - old.keys():
        say("%s is left out: the old program does not have it" % name)
    faults = ["%s: only the old program has it" % name for name in old.keys() - new.keys()]
    say("%d rows; %s" % (len(rows), ", ".join(both)))
    races = []
    for row in rows:
        scenes.make(args.impinge, row, False)
        for name in both:
            race, failed = against.run_race(
                row.name,
                name,
                lambda: measure(
                    row, [new[name], old[name]], reps_of(row, args), RACE_SECONDS, RACE_ROUNDS
                ),
            )
            faults += failed
            if race:
                say(against.one_line(race))
                races.append(race)
            elif not failed:
                say("%s: %s: the old program cannot do that" % (row.name, name))
    return races, faults


def race(args):
    machine = report.machine(isa_text(args), THREADS, cores_in_use())
    races, faults = race_all(args)
    wrong, slow, notes = against.judge(races)
    text = "# impinge against %s\n\n%s\n\n%s" % (args.against, machine, against.table(races))
    (OUT / "against.md").write_text(text)
    print(text)
    for note in notes + ([] if args.check else slow):
        say(note)
    for fault in faults + wrong + (slow if args.check else []):
        say("WRONG: " + fault)
    return 1 if faults or wrong or (slow and args.check) else 0


def cores_in_use():
    """By other programs, just now."""

    def busy():
        words = open("/proc/stat").readline().split()[1:]
        return sum(int(words[i]) for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")

    before = busy()
    time.sleep(1)
    return busy() - before


def isa_text(args):
    return "held to " + args.isa.name if args.isa.name else args.native


def report_table(args, results, machine, folder):
    report.write_all(OUT, results, machine, folder)
    print((OUT / "table.md").read_text())
    return ("table.md", "table.csv", "plot.svg")


def report_apart(args, results, machine, folder):
    args.apart.write_all(OUT, results, machine, folder)
    names = [args.apart.__name__ + end for end in (".md", ".csv", ".svg")]
    print((OUT / names[0]).read_text())
    return names


def judge(args, folder, results):
    """Returns faults and notes."""
    asked = [row.name for row in wanted_rows(args)]
    wrong, notes = (args.apart.judge if args.apart else check.demands)(results, asked)
    if not args.check:
        return [], wrong + notes
    if args.apart:
        worse, more = check.compare_counts(RESULTS, folder, args.apart.__name__, results)
        if args.rows != ["*"]:
            worse = [text for text in worse if not text.endswith(check.UNMEASURED)]
    else:
        worse, more = check.compare_with(RESULTS, folder, report.processor(), results)
    return wrong + worse, notes + more


def judge_program(args, folder, figures):
    """Returns faults and notes."""
    wrong, notes = args.apart.judge(figures)
    if not args.check:
        return [], wrong + notes
    return wrong + check.compare_figures(RESULTS, folder, args.apart.__name__, figures), notes


def keep(files, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (OUT / name).exists():  # no plot without matplotlib
            shutil.copy(OUT / name, folder)


def run_program(args, machine, folder):
    """Returns files, faults and notes."""
    try:
        figures = args.apart.measure(args, OUT)
    except (OSError, subprocess.CalledProcessError) as e:
        return [], ["%s: %s" % (args.apart.__name__, e)], []
    return report_apart(args, figures, machine, folder), *judge_program(args, folder, figures)


def run_rows(args, machine, folder):
    """Returns files, faults and notes."""
    results, faults = measure_all(args)
    files = (report_apart if args.apart else report_table)(args, results, machine, folder)
    worse, notes = judge(args, folder, results)
    return files, faults + worse, notes


def run(args):
    """One that --keep stores by itself. Returns whether all is well."""
    folder = args.isa.folder or args.native.split(" ")[0]  # of bench/results
    machine = report.machine(isa_text(args), THREADS, cores_in_use())
    files, faults, notes = (run_program if is_program(args.apart) else run_rows)(args, machine, folder)
    for note in notes:
        say(note)
    for fault in faults:
        say("WRONG: " + fault)
    if args.keep and not faults:
        keep(files, RESULTS / folder)
    return not faults


def all_runs(args):
    """--keep without a run of its own stores all: the table with every row that is compared, then all
    that are apart."""
    if args.apart or not args.keep:
        return [args]
    runs = [argparse.Namespace(**{**vars(args), "hash": True, "trees": True})]
    for apart in arguments.APART.values():
        if is_program(apart) and not arguments.holds(args.isa, args.native):
            say("%s is left out: nothing holds it to an instruction set" % apart.__name__)
        else:
            runs.append(argparse.Namespace(**{**vars(args), "apart": apart}))
    return runs


def main():
    args = arguments.parse(__doc__)
    OUT.mkdir(parents=True, exist_ok=True)
    if args.against:
        sys.exit(race(args))
    well = [run(one) for one in all_runs(args)]
    sys.exit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
