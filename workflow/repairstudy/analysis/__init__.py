"""From outcomes to results: pools as arrays, selections and values, the plan, the statistics."""

from repairstudy.analysis.build_pool import POOL_COLUMNS, build_pool, build_pools
from repairstudy.analysis.choices import Rules
from repairstudy.analysis.outcomes import import_outcomes
from repairstudy.analysis.plan import Plan, read_plan
from repairstudy.analysis.pool import PoolData, PositionData
from repairstudy.analysis.registration import Registration, register
from repairstudy.analysis.registration_file import read_registration, write_registration
from repairstudy.analysis.selection import Selections, select, select_all
from repairstudy.analysis.statistics import analyse

__all__ = [
    "POOL_COLUMNS",
    "Plan",
    "PoolData",
    "PositionData",
    "Registration",
    "Rules",
    "Selections",
    "analyse",
    "build_pool",
    "build_pools",
    "import_outcomes",
    "read_plan",
    "read_registration",
    "register",
    "select",
    "select_all",
    "write_registration",
]
