"""What it costs to transfer much over loopback."""
