#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test vectors for src/net/noise.c by an independent implementation, Debian's python3-dissononce.

    tests/net/noise_vectors.py            says whether the file of vectors is what comes out
    tests/net/noise_vectors.py --write    writes it

Exit status 1 when a line differs, 77 when dissononce is not installed.
"""

import argparse
import hashlib
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"
FILE = os.path.join(os.path.dirname(__file__), "..", "data", "noise_vectors.txt")

try:
    from dissononce.cipher.chachapoly import ChaChaPolyCipher
    from dissononce.dh.private import PrivateKey
    from dissononce.dh.x25519.x25519 import X25519DH
    from dissononce.extras.dh.dangerous.dh_nogen import NoGenDH
    from dissononce.hash.blake2b import Blake2bHash
    from dissononce.processing.handshakepatterns.interactive.XX import XXHandshakePattern
    from dissononce.processing.impl.cipherstate import CipherState
    from dissononce.processing.impl.handshakestate import HandshakeState
    from dissononce.processing.impl.symmetricstate import SymmetricState
    from dissononce.processing.modifiers.psk import PSKPatternModifier
except ImportError:
    # Debian's packages belong to Debian's Python, which need not be the first on the path.
    if sys.executable != SYSTEM_PYTHON and os.path.exists(SYSTEM_PYTHON):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
    print("noise_vectors.py: python3-dissononce is not installed")
    sys.exit(77)

# Sizes of the three payloads.
CASES = [(0, 0, 0), (1, 16, 33), (64, 127, 128), (1150, 1000, 900)]


def secret(case, name):
    return hashlib.blake2b(f"{case} {name}".encode(), digest_size=32).digest()


def pattern(case, size):
    return bytes((i * 7 + case) & 0xFF for i in range(size))


class Side:
    def __init__(self, case, is_initiator, prologue):
        name = "initiator" if is_initiator else "responder"
        self.static_secret = secret(case, name + " static")
        self.ephemeral_secret = secret(case, name + " ephemeral")
        dh = NoGenDH(X25519DH(), PrivateKey(self.ephemeral_secret))
        self.state = HandshakeState(
            SymmetricState(CipherState(ChaChaPolyCipher()), Blake2bHash()), dh)
        static = X25519DH().generate_keypair(PrivateKey(self.static_secret))
        self.state.initialize(PSKPatternModifier(0).modify(XXHandshakePattern()), is_initiator,
                              prologue, s=static, psks=(secret(case, "psk"),))


def vectors(case, sizes):
    prologue = b"backstitch" if case > 0 else b""
    initiator, responder = Side(case, True, prologue), Side(case, False, prologue)
    assert initiator.state.protocol_name == "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"
    yield "case", str(case)
    yield "prologue", prologue.hex()
    yield "psk", secret(case, "psk").hex()
    for name, side in (("initiator", initiator), ("responder", responder)):
        yield name + "_static", side.static_secret.hex()
        yield name + "_ephemeral", side.ephemeral_secret.hex()
    writer, reader = initiator, responder
    for number, size in enumerate(sizes, 1):
        payload = pattern(case, size)
        message, read = bytearray(), bytearray()
        keys = writer.state.write_message(payload, message)
        others = reader.state.read_message(bytes(message), read)
        assert bytes(read) == payload
        yield f"payload_{number}", payload.hex()
        yield f"message_{number}", message.hex()
        writer, reader = reader, writer
    assert keys[0]._key == others[0]._key and keys[1]._key == others[1]._key
    yield "initiator_sends_with", keys[0]._key.hex()
    yield "responder_sends_with", keys[1]._key.hex()


def text():
    lines = ["# Written by tests/net/noise_vectors.py with python3-dissononce."]
    for case, sizes in enumerate(CASES):
        lines += [f"{name} {value or '-'}" for name, value in vectors(case, sizes)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Test vectors of the Noise handshake.")
    parser.add_argument("--write", action="store_true", help="write the file")
    arguments = parser.parse_args()
    if arguments.write:
        with open(FILE, "w", encoding="ascii") as file:
            file.write(text())
        return 0
    with open(FILE, encoding="ascii") as file:
        kept = file.read().split("\n")
    made = text().split("\n")
    differing = [line.split(" ")[0] for line, other in zip(made, kept) if line != other]
    if differing or len(made) != len(kept):
        print(f"noise_vectors.py: differs: {', '.join(differing) or 'the number of lines'}")
        return 1
    print(f"{len(CASES)} handshakes are message by message as dissononce makes them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
