"""Tables whose anonymity is known, and strategies for any others."""

from hypothesis import strategies as st

# The salary table of Li et al. 2007: three classes of three records, 3K to 11K.
LI_CLASS = [1, 1, 1, 2, 2, 2, 3, 3, 3]
LI_SALARY = [3, 4, 5, 6, 11, 8, 7, 9, 10]
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "é", None]),
        st.sampled_from([0.0, -0.0, 1.5, float("nan"), None]),
        st.sampled_from([1.0, 2.0, 4.0, 8.0, 9.5, float("nan"), None]),
    ),
    max_size=30,
)
