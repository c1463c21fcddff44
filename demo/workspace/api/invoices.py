"""Invoices."""

from decimal import Decimal

from api.customers import Customer
from api.orders import reference, total


def invoice(customer: Customer, number: int, prices: list[Decimal]) -> str:
    """One line for the ledger."""
    return f"{reference(customer, number)} {customer.customer_id} {total(customer, prices)}"
