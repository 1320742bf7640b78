"""Generated pieces of wire values, which every family of formats is made of."""

from __future__ import annotations

from hypothesis import strategies as st
from interop_json import anything, objects, values

unknown = st.dictionaries(st.sampled_from(["cache_control", "x_vendor", "provider_data"]), values, max_size=2)
described = st.fixed_dictionaries({}, optional={"description": anything})
object_schemas = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(anything, objects, max_size=3),
        "additionalProperties": st.booleans(),
    },
)
flags = st.sampled_from([True, False, None])
