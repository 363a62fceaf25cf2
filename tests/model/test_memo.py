"""The memory of results: it helps, it forgets, and it stays within its bounds."""

from headwater.model.values.memo import Memo, forget_unused


def key(number: int) -> bytes:
    return number.to_bytes(4, "big")


def size(memo: Memo[int], most: int) -> int:
    return sum(memo.get(key(number)) is not None for number in range(most))


def test_remembers_what_was_put() -> None:
    memo: Memo[str] = Memo(100_000)
    assert memo.get(b"a") is None
    memo.put(b"a", "A")
    assert memo.get(b"a") == "A"
    memo.put(b"a", "B")
    assert memo.get(b"a") == "B"


def test_forgets_what_was_not_requested_lately() -> None:
    memo: Memo[int] = Memo(40_000)
    for number in range(1_000):
        memo.put(key(number), number)
    assert memo.get(key(0)) is None
    assert memo.get(key(999)) == 999


def test_keeps_what_is_requested_again_and_again() -> None:
    memo: Memo[int] = Memo(40_000)
    memo.put(b"often", -1)
    for number in range(1_000):
        memo.put(key(number), number)
        assert memo.get(b"often") == -1


def test_stays_within_its_bounds() -> None:
    memo: Memo[int] = Memo(40_000)
    for number in range(10_000):
        memo.put(key(number), number)
    # Each takes some 400 bytes.
    assert 25 <= size(memo, 10_000) <= 110


def test_large_keys_count_by_their_size() -> None:
    memo: Memo[int] = Memo(4_000_000)
    for number in range(20):
        memo.put(key(number) * 50_000, number)
    kept = [memo.get(key(number) * 50_000) for number in range(20)]
    assert kept[-1] == 19
    # Of twenty times 400 KB in 4 MB.
    assert sum(found is not None for found in kept) <= 12


def test_a_key_that_would_push_out_the_others_is_not_kept() -> None:
    memo: Memo[int] = Memo(10_000)
    memo.put(b"y", 2)
    memo.put(b"x" * 10_000, 1)
    assert memo.get(b"x" * 10_000) is None
    assert memo.get(b"y") == 2


def test_values_count_by_the_weight_they_are_put_with() -> None:
    memo: Memo[int] = Memo(4_000_000)
    for number in range(20):
        memo.put(key(number), number, weight=400_000)
    assert memo.get(key(19)) == 19
    # Of twenty times 400 KB in 4 MB.
    assert size(memo, 20) <= 12


def test_values_keep_their_weight_when_they_are_requested_again() -> None:
    memo: Memo[int] = Memo(4_000_000)
    for number in range(100):
        memo.put(key(number), number, weight=400_000)
        size(memo, number)
    assert size(memo, 100) <= 12


def test_a_value_that_would_push_out_the_others_is_not_kept() -> None:
    memo: Memo[int] = Memo(10_000)
    memo.put(b"y", 2)
    memo.put(b"x", 1, weight=10_000)
    assert memo.get(b"x") is None
    assert memo.get(b"y") == 2


def test_clear_forgets_all() -> None:
    memo: Memo[int] = Memo(40_000)
    for number in range(150):
        memo.put(key(number), number)
    memo.clear()
    assert size(memo, 150) == 0


def test_what_is_not_requested_between_two_calls_is_forgotten() -> None:
    memo: Memo[int] = Memo(40_000)
    memo.put(b"often", 1, weight=7)
    memo.put(b"once", 2)
    forget_unused()
    assert memo.get(b"often") == 1
    forget_unused()
    assert memo.get(b"often") == 1
    assert memo.get(b"once") is None


def test_a_memo_of_one_thread_is_left_to_it() -> None:
    """Somebody may just be clearing it: nothing that was cleared may come back."""
    memo: Memo[int] = Memo(40_000, is_shared=False)
    memo.put(b"a", 1)
    for _ in range(3):
        forget_unused()
    assert memo.get(b"a") == 1
