"""Arrays on devices: their memory and views, and how they are exchanged with other libraries."""
