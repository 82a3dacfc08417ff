"""Merkle trees over records, as in RFC 6962.

References:
    RFC 6962, Certificate Transparency, sections 2.1 and 2.1.1; RFC 9162, 2.1.3.2.
"""

import hashlib
from collections.abc import Sequence


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of one leaf. Leaves and nodes are hashed apart, so that none passes for the other."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class MerkleRoot:
    """The root over leaves that come one by one; holds one hash for each level of the tree."""

    def __init__(self) -> None:
        self._n_leaves = 0
        self._full: list[bytes] = []

    def add(self, leaf: bytes) -> None:
        """Append a leaf."""
        node = leaf_hash(leaf)
        full = self._n_leaves
        while full & 1:
            node = _node_hash(self._full.pop(), node)
            full >>= 1
        self._full.append(node)
        self._n_leaves += 1

    def root(self) -> bytes:
        """Return the root over the leaves so far."""
        if not self._full:
            return hashlib.sha256(b"").digest()
        node = self._full[-1]
        for left in reversed(self._full[:-1]):
            node = _node_hash(left, node)
        return node


def inclusion_proof(leaf_hashes: Sequence[bytes], *, index: int) -> tuple[bytes, ...]:
    """Return the audit path of one leaf, from the leaf up.

    Args:
        leaf_hashes: The hash of every leaf, in order.
        index: Which leaf, from 0.

    Raises:
        IndexError: There is no such leaf.
    """
    if not 0 <= index < len(leaf_hashes):
        raise IndexError(f"leaf {index} of {len(leaf_hashes)}")
    if len(leaf_hashes) == 1:
        return ()
    split = _split(len(leaf_hashes))
    if index < split:
        return (*inclusion_proof(leaf_hashes[:split], index=index), _tree_hash(leaf_hashes[split:]))
    right = inclusion_proof(leaf_hashes[split:], index=index - split)
    return (*right, _tree_hash(leaf_hashes[:split]))


def is_included(leaf: bytes, *, index: int, n_leaves: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Tell whether the leaf stands at the index of the tree with this root."""
    if not 0 <= index < n_leaves:
        return False
    node, last = leaf_hash(leaf), n_leaves - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = _node_hash(sibling, node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = _node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and node == root


def _split(n: int) -> int:
    """Return the largest power of two below n."""
    return 1 << ((n - 1).bit_length() - 1)


def _tree_hash(leaf_hashes: Sequence[bytes]) -> bytes:
    if len(leaf_hashes) == 1:
        return leaf_hashes[0]
    split = _split(len(leaf_hashes))
    return _node_hash(_tree_hash(leaf_hashes[:split]), _tree_hash(leaf_hashes[split:]))
