"""Paired evaluation of prompts and models with an LLM judge, repeats, audits and a verifiable report."""
