"""The stored side: raw tables committed by manifest, and generations of what is computed from them."""
