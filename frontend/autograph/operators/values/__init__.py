"""What names may hold where paths meet, where a program keeps it, and how values of several paths are joined."""
