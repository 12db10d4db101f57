"""The gettext catalogues of the pages, one a language but English: ``<language>/LC_MESSAGES/messages.po``.

``python -m service.translations`` (``make translations``) brings them up to date and compiles them.
"""
