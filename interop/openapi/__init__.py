"""Gemini's older schema language, read and written."""
