"""Language models: one protocol, and around every model the same cache, patience, limits and budget."""

from assay.llm.budget import Budget, BudgetSpent, Estimate, Ledger, estimate
from assay.llm.connect import Connections, Model, connect, resolve
from assay.llm.faults import FatalLlmError, LlmError, MissingReply, QuotaSpent
from assay.llm.prices import Cost, Price, cost, price_of
from assay.llm.protocol import PROVIDERS, ChatReply, ChatRequest, JsonSchema, Llm, Message, RetryInfo, Usage
from assay.llm.structured import Unparsed, parse_json_reply
from assay.llm.tokens import estimate_tokens

__all__ = [
    "PROVIDERS",
    "Budget",
    "BudgetSpent",
    "ChatReply",
    "ChatRequest",
    "Connections",
    "Cost",
    "Estimate",
    "FatalLlmError",
    "JsonSchema",
    "Ledger",
    "Llm",
    "LlmError",
    "Message",
    "MissingReply",
    "Model",
    "Price",
    "QuotaSpent",
    "RetryInfo",
    "Unparsed",
    "Usage",
    "connect",
    "cost",
    "estimate",
    "estimate_tokens",
    "parse_json_reply",
    "price_of",
    "resolve",
]
