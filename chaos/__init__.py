"""The crash-recovery test kit: evil hosts, fault schedules, virtual clock, invariants, pytest plugin."""
