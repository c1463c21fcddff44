"""Export for the warehouse."""

from api.customers import Customer


def row(customer: Customer) -> dict[str, str]:
    """One row of the export."""
    return {"customer_id": customer.customer_id, "tier": customer.tier.name}
