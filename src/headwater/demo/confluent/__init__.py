"""A Confluent Cloud on this machine: an estate to try things with, behind the documented APIs.

It is strict: it refuses keys of other resources, parameters that are not documented, pages that it
never named, and fields that it does not know.
"""
