"""The tree of RFC 6962, against the vectors of its reference implementation."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.store.merkle import MerkleRoot, inclusion_proof, is_included, leaf_hash

# The inputs and roots of the certificate-transparency project's Merkle tree tests.
TEXTS = "- 00 10 2021 3031 40414243 5051525354555657 606162636465666768696a6b6c6d6e6f"
LEAVES = [bytes.fromhex(text.strip("-")) for text in TEXTS.split()]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def root_of(leaves: list[bytes]) -> bytes:
    tree = MerkleRoot()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@pytest.mark.parametrize("n", range(9))
def test_the_roots_are_those_of_the_reference_implementation(n):
    assert root_of(LEAVES[:n]).hex() == ROOTS[n]


def test_the_proofs_of_seven_leaves_are_those_drawn_in_the_standard():
    # RFC 6962, section 2.1.3: the tree of d0..d6 and its audit paths.
    a, b, c, d, e, f, j = (leaf_hash(leaf) for leaf in LEAVES[:7])
    g, h, i = node(a, b), node(c, d), node(e, f)
    k, left = i, node(g, h)
    hashes = [a, b, c, d, e, f, j]

    assert inclusion_proof(hashes, index=0) == (b, h, node(k, j))
    assert inclusion_proof(hashes, index=3) == (c, g, node(k, j))
    assert inclusion_proof(hashes, index=4) == (f, j, left)
    assert inclusion_proof(hashes, index=6) == (k, left)


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=70), st.data())
def test_a_proof_shows_its_leaf_and_no_other(leaves, data):
    index = data.draw(st.integers(0, len(leaves) - 1))
    root = root_of(leaves)
    proof = inclusion_proof([leaf_hash(leaf) for leaf in leaves], index=index)
    n = len(leaves)

    assert is_included(leaves[index], index=index, n_leaves=n, proof=proof, root=root)
    assert not is_included(leaves[index] + b"!", index=index, n_leaves=n, proof=proof, root=root)
    assert not is_included(leaves[index], index=index, n_leaves=n, proof=(*proof, root), root=root)
    if proof:
        assert not is_included(leaves[index], index=index, n_leaves=n, proof=proof[:-1], root=root)
    assert not is_included(leaves[index], index=n, n_leaves=n, proof=proof, root=root)


def test_a_leaf_beyond_the_last_has_no_proof():
    with pytest.raises(IndexError):
        inclusion_proof([leaf_hash(b"")], index=1)
