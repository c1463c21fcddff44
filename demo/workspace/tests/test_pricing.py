"""Tests of the prices. Every test customer is a gold one, so nobody noticed that the tier is ignored."""

import unittest
from decimal import Decimal

from api.customers import Customer
from api.invoices import invoice
from api.orders import total
from api.pricing import apply_discount
from api.tier import GOLD


class PricingTest(unittest.TestCase):
    def test_gold_customers_get_their_discount(self) -> None:
        self.assertEqual(apply_discount(Decimal("100"), GOLD), Decimal("80.00"))

    def test_the_total_includes_tax(self) -> None:
        self.assertEqual(total(Customer("c1", GOLD), [Decimal("100")]), Decimal("95.20"))

    def test_invoices_name_the_customer(self) -> None:
        self.assertEqual(invoice(Customer("c1", GOLD), 7, [Decimal("100")]), "c1-00007 c1 95.20")


if __name__ == "__main__":
    unittest.main()
