"""A rule for numbers that no schema can express: they are decimals without an exponent, of at most 18 digits.

Python writes a float of 1e16 and more, and one below 1e-4, with an exponent. In valid data this hook writes such a number
out; invalid data stays as it is.
"""

import schemathesis

LARGEST = 999_999_999_999_999_999


def written_out(value):
    if isinstance(value, dict):
        return {name: written_out(member) for name, member in value.items()}
    if isinstance(value, list):
        return [written_out(member) for member in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if abs(value) > LARGEST:
        return LARGEST if value > 0 else -LARGEST
    if isinstance(value, float) and "e" in repr(value):
        return int(value)
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    mode = case.meta.generation.mode if case.meta is not None else None
    if mode is not None and mode.is_positive:
        case.body = written_out(case.body)
