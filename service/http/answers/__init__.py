"""The JSON objects that the service answers with, by subject. Streams, problems and the command line use them too."""
