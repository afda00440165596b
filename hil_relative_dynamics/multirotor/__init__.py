"""Rendezvous flown by fully actuated multirotors (paper 003): vehicle, control, navigation, reference."""
