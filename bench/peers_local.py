#!/usr/bin/python3
"""Times of other local-privacy libraries: one "name nanoseconds-per-report" a line.

pure-LDP and multi-freq-ldpy, where bench/peers could install them; without them their rows
have no peer.  1024 symbols, epsilon 1, the same as in bench_local_protocols.c.
"""
import os
import time

D = 1024
EPSILON = 1.0
REPORTS = 300
ROUNDS = 3


def best(run, units):
    run()
    times = []
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        run()
        times.append(time.thread_time_ns() - start)
    return min(times) / units


os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
values = [(i * 37) % D for i in range(REPORTS)]


def time_pure_ldp(name, client, server):
    reports = [client.privatise(v + 1) for v in values]
    print(f"pure_ldp.{name}.encode", best(lambda: [client.privatise(v + 1) for v in values], REPORTS))
    print(f"pure_ldp.{name}.sum", best(lambda: [server.aggregate(r) for r in reports], REPORTS))


def pure_ldp():
    from pure_ldp.frequency_oracles.apple_cms import CMSClient, CMSServer
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    time_pure_ldp("grr", DEClient(EPSILON, D), DEServer(EPSILON, D))
    time_pure_ldp("oue", UEClient(EPSILON, D, use_oue=True), UEServer(EPSILON, D, use_oue=True))
    time_pure_ldp("olh", LHClient(EPSILON, D, use_olh=True), LHServer(EPSILON, D, use_olh=True))
    cms = CMSServer(EPSILON, 1024, 256)
    time_pure_ldp("cms", CMSClient(EPSILON, cms.get_hash_funcs(), 256), cms)
    hr = HadamardResponseServer(EPSILON, D)
    time_pure_ldp("hr", HadamardResponseClient(EPSILON, D, hr.get_hash_funcs()), hr)


def multi_freq_ldpy():
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

    grr = [GRR_Client(v, D, EPSILON) for v in values]
    print("multi_freq.grr.encode", best(lambda: [GRR_Client(v, D, EPSILON) for v in values], REPORTS))
    print("multi_freq.grr.sum", best(lambda: GRR_Aggregator_MI(grr, D, EPSILON), REPORTS))
    oue = [UE_Client(v, D, EPSILON, True) for v in values]
    print("multi_freq.oue.encode", best(lambda: [UE_Client(v, D, EPSILON, True) for v in values], REPORTS))
    print("multi_freq.oue.sum", best(lambda: UE_Aggregator_MI(oue, EPSILON, True), REPORTS))
    olh = [LH_Client(v, D, EPSILON, True) for v in values]
    print("multi_freq.olh.encode", best(lambda: [LH_Client(v, D, EPSILON, True) for v in values], REPORTS))
    print("multi_freq.olh.decode", best(lambda: LH_Aggregator_MI(olh, D, EPSILON, True), REPORTS))


for library in (pure_ldp, multi_freq_ldpy):
    try:
        library()
    except Exception:  # not installed, or another version
        pass
