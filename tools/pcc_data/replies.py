"""Which text of a rendered conversation is the assistant's.

Two proofs are accepted. Marks in the template say it:

    <|im_start|>assistant\\n{% generation %}Hello<|im_end|>{% endgeneration %}

Without marks, the conversation is rendered up to each reply, with the prompt
for it, and up to the end of each reply. Both must begin the whole rendering;
the reply is the text between them:

    <|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\n
    <|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\nHello<|im_end|>\\n

White space after the last special token, such as the newline here, is part of
the template and not learned."""

import collections
import os

from .messages import Refused, shortened

# spans: pairs of character positions in the text, ordered, disjoint.
Rendering = collections.namedtuple("Rendering", "text spans")


class Hidden(Exception):
    """A rendering does not begin with the rendering of its first messages."""

    def __init__(self, number, begin, whole):
        super().__init__(number)
        self.number, self.begin, self.whole = number, begin, whole


class Replies:
    """Locates replies in conversations that a template renders."""

    def __init__(self, template, added_pattern, per_reply):
        self.template, self.per_reply = template, per_reply
        self.added_pattern = added_pattern

    def renderings(self, conversation):
        """Returns the renderings to train on: one, or one for each reply."""
        messages = conversation.messages
        places = [i for i, message in enumerate(messages)
                  if message["role"] == "assistant"]
        try:
            if not self.per_reply:
                return [self.rendering(conversation, places, messages)]
            return [self.rendering(conversation, [i], messages[:i + 1])
                    for i in places]
        except Hidden as hidden:
            raise self.refusal(conversation, hidden) from None

    def rendering(self, conversation, places, messages):
        """Returns the rendering of messages, with the replies of some places;
        with marks, of all places or of the last."""
        whole, spans = self.render(conversation, messages, False)
        if self.template.has_marks:
            spans = [(begin, end) for begin, end in spans if begin < end]
            return Rendering(whole, spans[-1:] if self.per_reply else spans)
        spans = []
        for place in places:
            begin = self.prefix(conversation, place, True, whole)
            end = (len(whole) if place + 1 == len(messages) else
                   self.prefix(conversation, place + 1, False, whole))
            if end < begin:
                raise Hidden(place + 1, whole[:begin], whole)
            end = self.trimmed(whole, begin, end)
            if begin < end:
                spans.append((begin, end))
        return Rendering(whole, spans)

    def prefix(self, conversation, count, asks, whole):
        """Returns the length of the rendering of the first messages, which must
        begin the whole."""
        try:
            text, _ = self.render(conversation,
                                  conversation.messages[:count], asks)
        except Refused:
            raise Hidden(count, "", whole) from None
        if not whole.startswith(text):
            raise Hidden(count, text, whole)
        return len(text)

    def trimmed(self, text, begin, end):
        """Returns the end without white space after the last added token."""
        last = None
        for last in self.added_pattern.finditer(text, begin, end):
            pass
        if last and not text[last.end():end].strip():
            return last.end()
        return end

    def render(self, conversation, messages, asks):
        try:
            return self.template.render(messages, conversation.tools, asks)
        except MemoryError:
            raise
        except Exception as error:  # pylint: disable=broad-except
            raise Refused(
                f"{conversation.where}: the chat template refuses the "
                f"conversation: {str(error) or type(error).__name__}",
                f"template: {self.template.path}") from None

    def refusal(self, conversation, hidden):
        """Returns the error for a template that hides where replies are."""
        begin, whole = hidden.begin, hidden.whole
        same = len(os.path.commonprefix([begin, whole]))
        last = conversation.messages[hidden.number - 1]["role"]
        notes = []
        if begin:
            notes.append(f"after {shortened(whole[max(0, same - 30):same])} the "
                         f"first {hidden.number} messages have "
                         f"{shortened(begin[same:same + 40])}, the whole "
                         f"conversation has {shortened(whole[same:same + 40])}")
        else:
            notes.append("the template refuses the first messages alone")
        if not self.per_reply and self.are_provable(conversation):
            notes.append("--per-reply makes each reply a sample of its own, "
                         "after the messages before it as they are at "
                         "inference")
        notes.append("--chat-template FILE takes a copy of the template with "
                     "{% generation %} and {% endgeneration %} around the "
                     "assistant's text")
        return Refused(
            f"{conversation.where}: the assistant's text cannot be located: "
            f"the chat template '{self.template.path}' renders the first "
            f"{hidden.number} messages, up to one of role '{last}', "
            "differently when others follow", *notes)

    def are_provable(self, conversation):
        """Whether --per-reply would locate the replies."""
        try:
            Replies(self.template, self.added_pattern, True).renderings(
                conversation)
            return True
        except Refused:
            return False
