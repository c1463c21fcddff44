"""Orders."""

from decimal import Decimal

from api.customers import Customer
from api.pricing import apply_discount, subtotal, with_tax


# The total is what the customer pays, tax included.
def total(customer: Customer, prices: list[Decimal]) -> Decimal:
    """Total of one order."""
    return with_tax(apply_discount(subtotal(prices), customer.tier))


def reference(customer: Customer, number: int) -> str:
    """Order reference."""
    return f"{customer.customer_id}-{number:05d}"
