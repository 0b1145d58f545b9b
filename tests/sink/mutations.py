"""What may happen to the bytes of a message."""

from __future__ import annotations

import random


def mutated(message: bytes, chance: random.Random) -> bytes:
    """Return a message with one fault: cut, changed, longer, shorter, or begun as another kind."""
    place, size = chance.randrange(len(message)), chance.randint(1, 9)
    noise = bytes(chance.randrange(256) for _ in range(size))
    faults = [
        message[:place],
        message[place:],
        message[:place] + noise[:1] + message[place + 1 :],
        message[:place] + noise + message[place:],
        message[:place] + message[place + size :],
        b"\0" + noise + message[:place],
        b'{"schema":' + message[place:],
        message[:place] + message[:place] + message[place:],
        noise,
        bytes(byte ^ (chance.random() < 0.01) for byte in message),
    ]
    found = chance.choice(faults)
    return found if found not in {message, b""} else noise
