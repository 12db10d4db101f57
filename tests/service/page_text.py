"""Responses whose pages have only the white space that a reader sees, however their templates are laid out."""

import re

from flask import Response

BLOCKS = (
    "button|dd|details|div|dl|dt|fieldset|form|h[1-3]|label|legend|li|ol|option|p|section|select|summary|table|tbody|"
    "td|th|thead|tr|ul"
)
_KEPT = re.compile(r"(<textarea.*?</textarea>)", re.DOTALL)
_SPACES = re.compile(r"\s{2,}|[^\S ]")  # all but a single blank, of which a page has thousands
_AROUND_BLOCKS = re.compile(rf" ?(</?(?:{BLOCKS})\b[^>]*>) ?")


class PageResponse(Response):
    """A response whose text, if it is a page, has only the white space that a reader sees."""

    def get_data(self, as_text: bool = False) -> bytes | str:
        data = super().get_data(as_text)
        if not as_text or self.mimetype != "text/html":
            return data
        parts = _KEPT.split(data)
        parts[::2] = (_SPACES.sub(" ", part) for part in parts[::2])
        return _AROUND_BLOCKS.sub(r"\1", "".join(parts).replace(" >", ">"))
