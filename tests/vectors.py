"""What the vectors of tests are like."""

# Length of every vector in the contract suite of the index.
DIMENSION = 8
