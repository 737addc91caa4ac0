"""What evidence proves about one record: intervals, exact values, and certificates in fractions."""
