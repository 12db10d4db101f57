"""Games with faults through the whole chain, in one process and in virtual time: ``python -m tests.faults``.

On one side are the firmware, its world and the hands; on the other the real session, connection, controller and
storage. A cable in memory joins them. At the end the record is compared with what the hands played.
"""
