"""What answered queries together tell about each record: exact values, bounds, certificates."""
