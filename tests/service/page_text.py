"""Responses whose pages have only the white space that a reader sees, however their templates are laid out."""

import re

from flask import Response

BLOCKS = (
    "button|dd|details|div|dl|dt|fieldset|form|h[1-3]|label|legend|li|ol|option|p|section|select|summary|table|tbody|"
    "td|th|thead|tr|ul"
)
_SPACES = re.compile(r"(?P<kept><textarea.*?</textarea>)|\s+", re.DOTALL)
_AROUND_BLOCKS = re.compile(rf" ?(</?(?:{BLOCKS})\b[^>]*>) ?")


class PageResponse(Response):
    """A response whose text, if it is a page, has only the white space that a reader sees."""

    def get_data(self, as_text: bool = False) -> bytes | str:
        data = super().get_data(as_text)
        if not as_text or self.mimetype != "text/html":
            return data
        one_line = _SPACES.sub(lambda found: found["kept"] or " ", data)
        return _AROUND_BLOCKS.sub(r"\1", one_line.replace(" >", ">"))
