"""Five jobs in Python, each as short as its library lets it be.   jobs.py JOB PEER

Prints "seconds lines": how long the job took without imports, and how many lines its function
has.  Exits 3 with a sentence if the library is not there, or cannot do the job.
"""
import inspect
import sys
import time

import numpy as np

CITIES = ["Padova", "Nantes", "Bochum", "Paris"]
BROWSERS = ["chrome", "firefox", "safari", "edge"]
random = np.random.default_rng(1)


# ---- group-by: counts by city of 50,000 people, epsilon 0.1, with 95 % error bars ---------------------------


def people():
    import pandas

    return pandas.DataFrame({"person": np.arange(50_000), "city": random.choice(CITIES, 50_000)})


def group_by_sotto(frame):
    import sotto
    con = sotto.connect({"people": frame}, unit="person", epsilon=1, columns={"city": CITIES})
    return con.sql("SELECT city, COUNT(*) AS n FROM people GROUP BY city", epsilon=0.1)


def group_by_opendp(frame):
    import opendp.prelude as dp
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    count = space >> dp.t.then_count_by_categories(CITIES, null_category=False, TOA=int) >> dp.m.then_laplace(10.0)
    noisy = count(frame["city"].tolist())
    error = dp.laplacian_scale_to_accuracy(scale=10.0, alpha=0.05)
    return {city: (n - error, n, n + error) for city, n in zip(CITIES, noisy)}


def group_by_diffprivlib(frame):  # without error bars
    from diffprivlib import tools
    return {city: tools.count_nonzero(frame["city"] == city, epsilon=0.1) for city in CITIES}


def group_by_python_dp(frame):  # without error bars: asking 1.1.5 for an interval raises
    from pydp.algorithms.laplacian import Count
    out = {}
    for city in CITIES:
        count = Count(epsilon=0.1, l0_sensitivity=1, linf_sensitivity=1, dtype="int")
        count.add_entries([1] * int((frame["city"] == city).sum()))
        out[city] = count.result()
    return out


def group_by_smartnoise_sql(frame):  # without error bars
    import snsql
    meta = {"": {"": {"people": {"row_privacy": False, "max_ids": 1, "censor_dims": False,
            "person": {"type": "int", "private_id": True}, "city": {"type": "string"}}}}}
    privacy = snsql.Privacy(epsilon=0.1, delta=1e-9)
    reader = snsql.from_df(frame, metadata=meta, privacy=privacy)
    return reader.execute("SELECT city, COUNT(DISTINCT person) AS n FROM people GROUP BY city")


def group_by_tumult(frame):  # without error bars
    from pyspark.sql import SparkSession
    from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session
    people = SparkSession.builder.getOrCreate().createDataFrame(frame)
    session = Session.from_dataframe(PureDPBudget(1), "people", people, protected_change=AddOneRow())
    by_city = QueryBuilder("people").groupby(KeySet.from_dict({"city": CITIES})).count()
    return session.evaluate(by_city, PureDPBudget(0.1)).toPandas()


# ---- year: what twelve reports with Gaussian noise of sigma 40 cost, at delta 1e-6 --------------------------------


def year_sotto(_):
    import sotto
    return sotto.account("gaussian(sigma=40)*12", delta=1e-6)


def year_opendp(_):
    import opendp.prelude as dp
    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    one = dp.m.make_gaussian(*space, scale=40.0)
    all_of_them = dp.c.make_composition([one] * 12)
    return dp.c.make_zCDP_to_approxDP(all_of_them).map(1.0).epsilon(1e-6)


def year_diffprivlib(_):  # the classical Gaussian, for which an epsilon must be chosen
    import math
    from diffprivlib import BudgetAccountant
    accountant = BudgetAccountant(slack=5e-7)
    for month in range(12):
        accountant.spend(math.sqrt(2 * math.log(1.25 / 4e-8)) / 40, 4e-8)
    return accountant.total()


def year_dp_accounting(_):
    from dp_accounting import GaussianDpEvent
    from dp_accounting.pld import PLDAccountant
    accountant = PLDAccountant()
    accountant.compose(GaussianDpEvent(40), 12)
    return accountant.get_epsilon(1e-6)


# ---- histogram: 100 noisy counts of ten million values ------------------------------------------------------------


def heights():
    return random.normal(170, 10, 10_000_000).astype(np.int64)


def histogram_sotto(values):
    import sotto
    return sotto.laplace(np.bincount(values.clip(120, 219) - 120, minlength=100), epsilon=0.1)


def histogram_opendp(values):
    import opendp.prelude as dp
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    counts = np.bincount(values.clip(120, 219) - 120, minlength=100)
    return dp.m.make_laplace(*space, scale=10.0)(counts.tolist())


def histogram_diffprivlib(values):
    from diffprivlib import tools
    return tools.histogram(values.clip(120, 219), epsilon=0.1, bins=100, range=(120, 220))


def histogram_python_dp(values):
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism
    noise = LaplaceMechanism(epsilon=0.1, sensitivity=1)
    return [noise.add_noise(int(n)) for n in np.bincount(values.clip(120, 219) - 120, minlength=100)]


# ---- rappor: 20,000 devices from end to end --------------------------------------------------------------------------


def browsers():
    return random.choice(BROWSERS, 20_000, p=[0.5, 0.25, 0.15, 0.1]).tolist()


def rappor_sotto(values):
    from sotto import local
    params = local.params("rappor", width=128, hashes=2, groups=8, f=0.25, p=0.25, q=0.75)
    return local.decode(params, local.encode(params, values), BROWSERS + ["lynx"])


def rappor_pure_ldp(values):  # RAPPOR without the second randomization
    from pure_ldp.frequency_oracles.rappor import RAPPORClient, RAPPORServer
    server = RAPPORServer(0.25, 128, 2, 4, num_of_cohorts=8)
    client = RAPPORClient(0.25, 128, server.get_hash_funcs(), num_of_cohorts=8)
    for value in values:
        server.aggregate(client.privatise(BROWSERS.index(value)))
    return server.estimate_all(range(4), suppress_warnings=True)


# ---- audit: is a function as private as it says? ------------------------------------------------------------------------


def audit_sotto(_):
    import sotto
    return sotto.audit(lambda x: sotto.laplace(3 * x, epsilon=1), 0, 1, claim=1, trials=20_000)


DATA = {"group_by": people, "histogram": heights, "rappor": browsers}


def lines(function):
    """Lines of the function that do something; that of def is none of them."""
    body = inspect.getsource(function).splitlines()[1:]
    return sum(1 for line in body if line.strip() and not line.strip().startswith("#"))


def main():
    job, peer = sys.argv[1], sys.argv[2].replace("-", "_")
    function = globals().get("%s_%s" % (job, peer))
    if function is None:
        print("does not do this", file=sys.stderr)
        sys.exit(3)
    import warnings

    warnings.simplefilter("ignore")
    data = DATA.get(job, lambda: None)()
    try:
        function(data[:1000] if isinstance(data, np.ndarray) else data)  # imports, once
    except ImportError as error:
        print("not installed: %s" % error, file=sys.stderr)
        sys.exit(3)
    begun = time.perf_counter()
    function(data)
    print("%.4f %d" % (time.perf_counter() - begun, lines(function)))


if __name__ == "__main__":
    main()
