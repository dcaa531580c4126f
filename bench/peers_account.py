"""Accountants from PyPI on the workloads of bench_account.c: lines "name nanoseconds" or "name value"."""
import sys
import time


def best(run, rounds=2):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        answer = run()
        times.append(time.process_time() - start)
    return 1e9 * min(times), answer


def dp_accounting_rows():
    from dp_accounting import dp_event
    from dp_accounting.pld import pld_privacy_accountant

    def epsilon(event, delta):
        accountant = pld_privacy_accountant.PLDAccountant()
        accountant.compose(event)
        return accountant.get_epsilon(delta)

    sampled = dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1)), 10000)
    laplace = dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(10), 1000)
    ns, answer = best(lambda: epsilon(sampled, 1e-5))
    print("dp_accounting.sampled", ns)
    print("dp_accounting.sampled.epsilon", repr(float(answer)))
    ns, answer = best(lambda: epsilon(laplace, 1e-9))
    print("dp_accounting.laplace", ns)


def prv_accountant_rows():
    from prv_accountant import Accountant

    def bounds():
        accountant = Accountant(noise_multiplier=1.0, sampling_probability=0.01, delta=1e-5, max_compositions=10000,
                                eps_error=1e-3)
        return accountant.compute_epsilon(num_compositions=10000)

    ns, (low, _, high) = best(bounds, rounds=1)
    print("prv_accountant.sampled", ns)
    print("prv_accountant.sampled.width", repr(float(high - low)))


for rows in (dp_accounting_rows, prv_accountant_rows):
    try:
        rows()
    except Exception as error:  # a peer that is not there has no rows
        print(f"{rows.__name__}: {error}", file=sys.stderr)
