"""scans."""
