"""Customers and their tier."""

from dataclasses import dataclass

from api.tier import NONE, Tier


@dataclass
class Customer:
    """Somebody who buys."""

    customer_id: str
    tier: Tier = NONE


def label(customer: Customer) -> str:
    """Name on the parcel."""
    return f"customer {customer.customer_id}"
