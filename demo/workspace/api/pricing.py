"""Prices of the shop: subtotals, discounts and taxes."""

from decimal import ROUND_HALF_UP, Decimal

from api import config
from api.tier import Tier

CENT = Decimal("0.01")


def round_cents(amount: Decimal) -> Decimal:
    """Round half up to whole cents."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def subtotal(prices: list[Decimal]) -> Decimal:
    """Sum of the line prices."""
    return sum(prices, start=Decimal("0"))


def apply_discount(amount: Decimal, tier: Tier) -> Decimal:
    """Apply the customer's tier discount to an amount."""
    rate = Decimal("0.20")
    return (amount * (1 - rate)).quantize(CENT)


def with_tax(amount: Decimal) -> Decimal:
    """Add the tax of the shop's country."""
    return round_cents(amount * (1 + Decimal(str(config.TAX_RATE))))
