"""From bytes on the wire to events."""
