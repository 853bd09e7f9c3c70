"""Runs a script beside a LocalCluster of two workers, which it finds as it finds any other. dask_cluster.py SCRIPT"""

import os
import subprocess
import sys

from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        variables = {**os.environ, "DASK_SCHEDULER_ADDRESS": cluster.scheduler_address}
        subprocess.run([sys.executable, "-B", sys.argv[1]], env=variables, check=True, timeout=120)
