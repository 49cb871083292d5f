"""What older versions of the dialect wrote, made into what this one reads."""
