"""Equal questions are asked once."""

import asyncio

import pytest

from repairstudy.engines.once import Once


def test_many_ask_at_once_and_one_question_is_put():
    asked = []

    async def square(number):
        asked.append(number)
        await asyncio.sleep(0)
        return number * number

    async def go():
        once = Once(square)
        return await asyncio.gather(*(once.all([2, 3, 2]) for _ in range(5)))

    assert asyncio.run(go()) == [[4, 9, 4]] * 5
    assert sorted(asked) == [2, 3]


def test_an_error_reaches_all_who_wait_and_is_not_kept():
    answers = [ValueError("busy"), 7]

    async def moody(_):
        answer = answers.pop(0)
        await asyncio.sleep(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def go():
        once = Once(moody)
        first = await asyncio.gather(once.get("a"), once.get("a"), return_exceptions=True)
        return first, await once.get("a")

    first, second = asyncio.run(go())
    assert [type(error) for error in first] == [ValueError, ValueError]
    assert second == 7


def test_one_who_gives_up_does_not_spoil_it_for_the_others():
    async def slow(key):
        await asyncio.sleep(0.02)
        return key

    async def go():
        once = Once(slow)
        impatient = asyncio.create_task(once.get("a"))
        patient = asyncio.create_task(once.get("a"))
        await asyncio.sleep(0)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        return await patient

    assert asyncio.run(go()) == "a"
