#!/usr/bin/python3
"""A second encoder for every protocol, written from src/local/client/client.md and layout.h.

It shares nothing with the C sources: hashes come from hashlib, chances are compared as whole
integers, draws without replacement take from a list, bit vectors are lists of bits.

  encoder.py check FILE        exits 1 unless every report of FILE is the one computed here
  encoder.py make COUNT SEED   prints so many lines with other parameters, keys and values

line: parameters key metric (n number | b bytes) report, all in hex; - is nothing
"""
import hashlib
import hmac
import random
import struct
import sys

PROTOCOLS = ["", "rr", "grr", "sue", "oue", "olh", "flh", "hr", "subset", "rappor", "cms", "hcms", "sfp",
             "1bitmean", "dbitflip", "pem", "treehist"]
GROUP, ANSWER, BUCKETS, ALPHA, GRID = 1, 2, 3, 4, 5
PRIME = 2**61 - 1
CERTAIN = 2**64
TAKES_NUMBERS = {"rr", "grr", "sue", "oue", "hr", "subset", "1bitmean", "dbitflip"}


def chacha_block(key, counter):
    """RFC 8439, 2.3, with nonce zero."""
    start = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key)) + [counter, 0, 0, 0]
    x = list(start)

    def quarter(a, b, c, d):
        for to, add, turn, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[to] = (x[to] + x[add]) % 2**32
            x[turn] ^= x[to]
            x[turn] = (x[turn] << by | x[turn] >> (32 - by)) % 2**32

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) % 2**32 for a, b in zip(x, start)))


class Entropy:
    """The counting source of the vectors: byte i is 17 i + 91 (i / 256).  Blocks are taken whole."""

    def __init__(self):
        self.i = 0

    def block(self):
        self.i += 64
        return bytes((17 * i + 91 * (i // 256)) % 256 for i in range(self.i - 64, self.i))


class Words:
    """32-bit words from blocks of 64 bytes."""

    def __init__(self, blocks):
        self.blocks, self.left = blocks, []

    def word(self):
        if not self.left:
            self.left = list(struct.unpack("<16I", next(self.blocks)))
        return self.left.pop(0)

    def word64(self):
        low = self.word()
        return low + (self.word() << 32)

    def below(self, n):
        """Words whose product with n falls below 2^32 mod n, modulo 2^32, are thrown away."""
        while True:
            product = self.word() * n
            if product % 2**32 >= 2**32 % n:
                return product >> 32

    def chance(self, numerator):
        return int(self.word64() < numerator)

    def lanes(self, bits, zero, one):
        """32 bits.  Word j holds digit j of 32 uniform fractions; lane i is 1 if its fraction is
        below its chance.  Words are read until all comparisons are decided, but at least 32 of
        them, and none past the last digit of both chances."""
        chances = [one if b else zero for b in (bits + [0] * 32)[:32]]
        digits = [c % 2**64 for c in chances]
        both = zero % 2**64 | one % 2**64
        used = 64 - ((both & -both).bit_length() - 1) if both else 0
        fractions, count = [0] * 32, 0
        while count < used:
            word = self.word()
            fractions = [f << 1 | word >> i & 1 for i, f in enumerate(fractions)]
            count += 1
            if count >= 32 and all(f != d >> (64 - count) for f, d in zip(fractions, digits)):
                break
        return [int(c == CERTAIN or f < d >> (64 - count)) for c, f, d in zip(chances, fractions, digits)]


class Device:
    def __init__(self, params, key, metric):
        self.bytes, self.key, self.metric, self.entropy = params, key, metric, Entropy()
        magic, number, self.memoize = struct.unpack_from("<4sHB", params)
        assert magic == b"SLP1"
        self.protocol = PROTOCOLS[number]
        self.size, self.width, self.hashes, self.groups, self.grain, self.salt = struct.unpack_from("<5IQ", params, 7)
        pairs = struct.iter_unpack("<QB", params[35:80])
        self.keep, self.flip, self.flip2, self.zero, self.one = (CERTAIN if sure else n for n, sure in pairs)

    def fresh(self):
        return Words(iter(self.entropy.block, None))

    def derived(self, purpose, text=b""):
        def counted(b):
            return struct.pack("<I", len(b)) + b

        message = (b"sotto-ldp-1" + bytes([purpose]) + counted(self.metric) +
                   hashlib.sha256(self.bytes).digest()[:16] + counted(text))
        key = hmac.new(self.key, message, hashlib.sha256).digest()
        return Words(chacha_block(key, i) for i in range(2**32))

    def once(self, purpose, n):
        return self.derived(purpose).below(n) if n > 1 else 0

    def answers(self, value):
        if not self.memoize:
            return self.fresh()
        return self.derived(ANSWER, struct.pack("<Q", value) if isinstance(value, int) else value)

    def encode(self, value):
        name = self.protocol
        return getattr(self, "encode_" + {"sue": "unary", "oue": "unary", "1bitmean": "mean"}.get(name, name))(value)

    # ---- one symbol or a few

    def encode_rr(self, v):
        return bytes(self.answers(v).lanes([v], self.zero, self.one)[:1])

    def other_than(self, s, v, n, keep):
        kept = s.chance(keep)
        other = s.below(n - 1)
        return v if kept else [x for x in range(n) if x != v][other]

    def encode_grr(self, v):
        return number(self.other_than(self.answers(v), v, self.size, self.keep), self.size)

    def encode_unary(self, v):
        s = self.answers(v)
        return packed(randomized(s, [int(i == v) for i in range(self.size)], self.zero, self.one))

    def encode_hr(self, v):
        """The own set is the columns of the own block that meet the row in an even number of ones."""
        s, own, row = self.answers(v), v % self.groups, v // self.groups + 1
        keep, half, column = s.chance(self.keep), s.below(2 * self.groups - 1), s.word() % self.width
        if keep or half == 0:
            if bin(column & row).count("1") % 2 != (0 if keep else 1):
                column ^= row & -row
            block = own
        else:
            block = [b for b in range(self.groups) if b != own][(half - 1) // 2]
        return number(block * self.width + column, self.groups * self.width)

    def encode_subset(self, v):
        s = self.answers(v)
        inside, left = s.chance(self.keep), [x for x in range(self.size) if x != v]
        drawn = [left.pop(s.below(len(left))) for _ in range(self.hashes)]
        if inside:
            drawn[-1] = v
        return b"".join(number(x, self.size) for x in sorted(drawn))

    # ---- local hashing

    def value_key(self, v):
        if not self.size:
            return key_of(v)
        v = (v ^ v >> 16) * 0x85ebca6b % 2**32
        v = (v ^ v >> 13) * 0xc2b2ae35 % 2**32
        return v ^ v >> 16

    def hashed(self, s, seed, key):
        a0, a1, b = (mix64(seed + i * 0x9e3779b97f4a7c15) for i in (1, 2, 3))
        uniform = (a0 * (key % 2**32) + a1 * (key >> 32) + b) % 2**64 >> 32
        return number(self.other_than(s, uniform * self.hashes >> 32, self.hashes, self.keep), self.hashes)

    def encode_olh(self, v):
        s = self.answers(v)
        seed = s.word64()
        return struct.pack("<Q", seed) + self.hashed(s, seed, self.value_key(v))

    def encode_flh(self, v):
        s = self.answers(v)
        index = s.below(self.groups)
        seed, = struct.unpack_from("<Q", salted(self.salt, 2, index))
        return number(index, self.groups) + self.hashed(s, seed, self.value_key(v))

    def encode_pem(self, v):
        s, group = self.answers(v), self.once(GROUP, self.groups)
        seed = s.word64()
        rest = (group + 1) * (self.size - self.grain)
        bits = self.grain + -(-rest // self.groups)
        return number(group, self.groups) + struct.pack("<Q", seed) + self.hashed(s, seed, prefix_key(v, bits))

    # ---- sketches

    def column(self, salt, row, key):
        c0, c1, c2 = ((x >> 3) % PRIME for x in struct.unpack_from("<3Q", salted(salt, 1, row)))
        y = (c2 * key * key + c1 * key + c0) % PRIME
        return (y >> 29) * self.width >> 32

    def cms(self, s, key, flip):
        row = s.below(self.groups)
        own = self.column(self.salt, row, key)
        noise = randomized(s, [0] * self.width, flip, 0)
        return number(row, self.groups) + packed([n ^ (i == own) for i, n in enumerate(noise)])

    def hcms(self, s, salt, key, flip):
        row = s.below(self.groups)
        at = s.word() % self.width
        minus = bin(at & self.column(salt, row, key)).count("1") % 2 ^ s.chance(flip)
        return number(row, self.groups) + number(2 * at + minus, 2 * self.width)

    def encode_cms(self, v):
        return self.cms(self.answers(v), key_of(v), self.flip)

    def encode_hcms(self, v):
        return self.hcms(self.answers(v), self.salt, key_of(v), self.flip)

    def encode_sfp(self, v):
        s, text = self.answers(v), v[:self.size].ljust(self.size, b"\0")
        start = s.below(self.size // self.hashes)
        puzzle = key_of(text) % 2**self.grain
        piece = struct.pack("<H", puzzle) + text[start * self.hashes:][:self.hashes]
        return bytes([start]) + self.cms(s, key_of(piece), self.flip) + self.cms(s, key_of(text), self.flip2)

    def encode_treehist(self, v):
        s, levels = self.answers(v), -(-self.size // self.grain)
        level = self.once(GROUP, levels)
        prefix = prefix_key(v, min((level + 1) * self.grain, self.size))
        return (number(level, levels) + self.hcms(s, self.salt, prefix, self.flip) +
                self.hcms(s, self.salt ^ 2**63, prefix_key(v, self.size), self.flip2))

    # ---- RAPPOR, means, buckets

    def encode_rappor(self, v):
        cohort, bits = self.once(GROUP, self.groups), [0] * self.width
        if self.size:
            bits[v] = 1
        else:
            digest = hashlib.sha256(struct.pack(">I", cohort) + v).digest()
            for i in range(self.hashes):
                bits[struct.unpack_from(">I", digest, 4 * i)[0] * self.width >> 32] = 1
        if self.flip:
            noise = randomized(self.derived(ANSWER, packed(bits)), [0] * self.width, self.flip, 0)
            bits = [a ^ b for a, b in zip(bits, noise)]
        return number(cohort, self.groups) + packed(randomized(self.fresh(), bits, self.zero, self.one))

    def encode_mean(self, v):
        if self.grain:
            alpha, low = self.once(ALPHA, self.grain), v - v % self.grain
            v = low if v + alpha < low + self.grain else low + self.grain
        s = self.derived(GRID, struct.pack("<I", v)) if self.memoize else self.fresh()
        bit = int(s.below(self.size) < v)
        bit ^= s.chance(self.flip)
        if self.flip2:
            bit ^= self.fresh().chance(self.flip2)
        return bytes([bit])

    def encode_dbitflip(self, v):
        s, left = self.derived(BUCKETS), list(range(self.size))
        buckets = sorted(left.pop(s.below(len(left))) for _ in range(self.hashes))
        bits = [int(b == v) for b in buckets]
        bits = [a ^ b for a, b in zip(bits, randomized(self.answers(v), [0] * self.hashes, self.flip, 0))]
        if self.flip2:
            bits = [a ^ b for a, b in zip(bits, randomized(self.fresh(), [0] * self.hashes, self.flip2, 0))]
        return b"".join(number(b, self.size) for b in buckets) + packed(bits)


def number(x, below):
    """Little-endian, in as few bytes as numbers below that need."""
    return x.to_bytes(max(1, -(-(below - 1).bit_length() // 8)), "little")


def packed(bits):
    return sum(b << i for i, b in enumerate(bits)).to_bytes(-(-len(bits) // 8), "little")


def randomized(s, bits, zero, one):
    out = []
    for at in range(0, len(bits), 32):
        out += s.lanes(bits[at:at + 32], zero, one)
    return out[:len(bits)]


def key_of(text):
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "little")


def prefix_key(text, bits):
    """The number of bits, and so many bits of a text that goes on in zeros."""
    whole = int.from_bytes(text[:128].ljust(128, b"\0"), "big")
    prefix = (whole >> (1024 - bits) << (1024 - bits)).to_bytes(128, "big")[:-(-bits // 8)]
    return key_of(struct.pack("<I", bits) + prefix)


def mix64(x):
    x %= 2**64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % 2**64
    x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64
    return x ^ x >> 31


def salted(salt, domain, index):
    return chacha_block(b"sotto hash family 1\0" + struct.pack("<QB3x", salt, domain), index)


# ---- lines ---------------------------------------------------------------------------------------


def check(path):
    wrong = lines = 0
    for at, line in enumerate(open(path), 1):
        if line.startswith("#"):
            continue
        params, key, metric, kind, value, report = line.split()
        d = Device(*(bytes.fromhex(x.strip("-")) for x in (params, key, metric)))
        got = d.encode(int(value, 16) if kind == "n" else bytes.fromhex(value)).hex()
        lines += 1
        if got != report:
            wrong += 1
            print("%s:%d: %s: %s here, %s there" % (path, at, d.protocol, got, report), file=sys.stderr)
    print("%d reports, %d of them wrong" % (lines, wrong))
    return int(wrong > 0 or lines == 0)


def sizes(r, name):
    """size, width, hashes, groups, grain: any that the protocol allows and that a test can afford."""
    n = r.choice([2, 3, 7, 8, 31, 32, 33, 64, 255, 256, 257, 300])
    power = 2 ** r.randint(1, 9)
    if name == "rr":
        return 2, 0, 0, 0, 0
    if name in ("grr", "sue", "oue"):
        return n, 0, 0, 0, 0
    if name in ("olh", "flh"):
        return r.choice([0, n]), 0, r.choice([2, 3, 4, 255, 256, 257]), r.choice([1, 2, 255, 257, 70000]) if name == "flh" else 0, 0
    if name == "hr":
        blocks = 2 ** r.randint(0, 4)
        return r.randint(2, max(2, blocks * (power * 2 - 1))), power * 2, 0, blocks, 0
    if name in ("subset", "dbitflip"):
        n = max(n, 3)
        return n, 0, r.randint(1, min(n - 1, 70)), 0, 0
    if name == "rappor":
        if r.random() < .3:
            return n, n, 1, 1, 0
        return 0, r.choice([1, 5, 8, 32, 33, 64, 100, 128]), r.randint(1, 8), r.choice([1, 2, 64, 128, 300]), 0
    if name == "cms":
        return 0, r.choice([2, 31, 32, 33, 100, 256]), 0, r.choice([1, 2, 256, 1000]), 0
    if name == "hcms":
        return 0, power, 0, r.choice([1, 2, 256, 1000]), 0
    if name == "sfp":
        piece = r.randint(1, 4)
        return piece * r.randint(1, 10), r.choice([2, 33, 64]), piece, r.choice([1, 2, 300]), r.randint(0, 16)
    if name == "1bitmean":
        step = r.choice([0, 1, 7, 100])
        return (step or 1) * r.randint(1, 50), 0, 0, 0, step
    if name == "pem":
        bits = r.randint(4, 200)
        start = r.randint(0, bits // 2)
        return bits, 0, r.choice([2, 4, 257]), r.randint(1, bits - start), start
    bits = r.randint(1, 200)
    return bits, power, 0, r.choice([1, 2, 300]), r.randint(1, bits)


def chance(r, certain=False):
    """A few digits, or all 64; certain where that is allowed."""
    kind = r.randint(0, 5)
    if kind == 5 and certain:
        return 0, 1
    return (r.getrandbits(64) if kind > 2 else r.randrange(1, 16) << 60), 0


def make(count, seed):
    r = random.Random(seed)
    for i in range(count):
        name = PROTOCOLS[1 + i % 16]
        s = sizes(r, name)
        chances = [chance(r) for _ in range(3)] + [chance(r, True) for _ in range(2)]
        if name in ("1bitmean", "dbitflip") and r.random() < .3:
            chances[2] = (0, 0)
        if name == "rappor" and r.random() < .3:
            chances[1] = (0, 0)
        params = struct.pack("<4sHB5IQ", b"SLP1", 1 + i % 16, r.randint(0, 1), *s, r.getrandbits(64))
        params += b"".join(struct.pack("<QB", *c) for c in chances) + bytes(4)
        key, metric = r.randbytes(32), r.randbytes(r.randint(0, 20))
        d = Device(params, key, metric)
        if name in TAKES_NUMBERS or (s[0] and name in ("olh", "flh", "rappor")):
            value = r.randint(0, s[0] - (name != "1bitmean"))
            text = "n %x" % value
        else:
            value = r.randbytes(r.randint(1, 40))
            text = "b " + value.hex()
        print(params.hex(), key.hex(), metric.hex() or "-", text, d.encode(value).hex())


if __name__ == "__main__":
    if sys.argv[1] == "check":
        sys.exit(check(sys.argv[2]))
    make(int(sys.argv[2]), int(sys.argv[3]))
