"""Customer tiers."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Tier:
    """What a customer has earned."""

    name: str
    discount_rate: Decimal


GOLD = Tier("gold", Decimal("0.20"))
SILVER = Tier("silver", Decimal("0.10"))
NONE = Tier("none", Decimal("0.00"))
