"""Any object with the contract, with every hook present and its answers checked."""
