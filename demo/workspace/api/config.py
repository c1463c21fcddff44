"""Settings of the shop."""

TAX_RATE = 0.19
DISCOUNT_RATE = 0.20
