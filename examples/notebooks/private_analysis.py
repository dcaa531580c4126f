# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Five jobs with sotto
#
# Each is a few lines. The data are invented; the noise is real, so your numbers differ.

# %%
import os

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import sotto
from sotto import local

pictures = os.environ.get("SOTTO_PICTURES", ".")
SIZE = int(os.environ.get("SOTTO_NOTEBOOK_VALUES", 10_000_000))

# %% [markdown]
# ## 1. A private group-by on a DataFrame, with error bars

# %%
random = np.random.default_rng(1)
people = pd.DataFrame({
    "person": np.arange(20_000),
    "city": random.choice(["Padova", "Nantes", "Bochum", "Paris"], 20_000, p=[0.4, 0.3, 0.2, 0.1]),
    "income": random.gamma(4, 9000, 20_000).round(),
})
con = sotto.connect(
    {"people": people}, unit="person", epsilon=2,
    columns={"income": (0, 150_000), "city": ["Padova", "Nantes", "Bochum", "Paris"]},
    ledger="people-ledger.db", create=not os.path.exists("people-ledger.db"),
)
answer = con.sql("SELECT city, COUNT(*) AS n, AVG(income) AS income FROM people GROUP BY city", epsilon="0.1")
answer

# %%
answer.plot("income")
plt.savefig(os.path.join(pictures, "group_by.png"))

# %% [markdown]
# ## 2. What does a year of monthly reports cost?
#
# Each month one report with Gaussian noise of sigma 40 is published.

# %%
year = sotto.Accountant().add("gaussian(sigma=40)", times=12)
print("epsilon of the year:", year.epsilon(delta=1e-6))
print("sigma for epsilon 1:", float(sotto.solve("gaussian(sigma=?)*12", epsilon=1, delta=1e-6).value))

# %%
year.plot()
plt.savefig(os.path.join(pictures, "year.png"))

# %% [markdown]
# ## 3. A noisy histogram of ten million values
#
# One person is one value, so that the histogram has sensitivity 1 whatever its size.

# %%
values = random.normal(170, 10, SIZE).astype(np.int64)
counts = np.bincount(values.clip(120, 219) - 120, minlength=100)
histogram = sotto.Laplace(epsilon="0.1")
noisy = histogram(counts)
print("no cell is off by more than", histogram.error(confidence=0.95, n=100), "(95 %)")

# %%
figure, ax = plt.subplots()
ax.bar(np.arange(120, 220), noisy, width=1)
ax.set_xlabel("height in cm")
ax.set_ylabel("people, with noise")
figure.tight_layout()
figure.savefig(os.path.join(pictures, "histogram.png"))

# %% [markdown]
# ## 4. RAPPOR from end to end
#
# Every device keeps its answer to itself: a Bloom filter, randomized once for all and again for each report.

# %%
rappor = local.params("rappor", width=128, hashes=2, groups=8, f=0.25, p=0.25, q=0.75)
browsers = ["chrome", "firefox", "safari", "edge", "opera", "lynx"]
truth = random.choice(browsers, 30_000, p=[0.5, 0.25, 0.15, 0.07, 0.03, 0])
reports = local.encode(rappor, truth.tolist())          # on the devices
estimates = local.decode(rappor, reports, browsers)     # on the server
print("one report costs a device epsilon %.2f, all of them %.2f" % (rappor.epsilon, rappor.permanent))
estimates.df()

# %%
ax = estimates.plot()
ax.plot(np.arange(len(browsers)) + 0.2, [(truth == b).sum() for b in browsers], "x", label="truth")
ax.legend()
plt.savefig(os.path.join(pictures, "rappor.png"))

# %% [markdown]
# ## 5. Is a home-made mechanism as private as it says?
#
# Rounding the noise to floats, or forgetting a factor, breaks a promise; an audit finds out.

# %%
def mean_of_ten(ages):
    """Claims epsilon 1 with noise for a count, though a sum of ages moves by up to 110."""
    return int(sum(ages)) + sotto.laplace(0, epsilon=1)

ages = [30] * 9
print(sotto.audit(mean_of_ten, ages + [0], ages + [110], claim=1, trials=20_000))

def fixed(ages):
    return sotto.laplace(int(sum(ages)), epsilon=1, sensitivity=110)

print(sotto.audit(fixed, ages + [0], ages + [110], claim=1, trials=20_000, confidence="0.999999999"))

# %%
con.close()
