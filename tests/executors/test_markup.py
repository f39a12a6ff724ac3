"""A prompt template in the markup of chat models."""

import pytest

from repairstudy.executors.markup import marked_up


@pytest.mark.parametrize("chat", ["none", "messages"])
def test_a_bare_template_stays_as_it_is(chat):
    assert marked_up("Go {observation}", chat) == "Go {observation}"


def test_the_markup_ends_where_the_models_answer_begins():
    assert marked_up("Go", "chatml") == "<|im_start|>user\nGo<|im_end|>\n<|im_start|>assistant\n"
    assert marked_up("Go", "llama3") == (
        "<|start_header_id|>user<|end_header_id|>\n\nGo<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )
