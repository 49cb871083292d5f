"""Arrays that stay what they are from call to call: variables, and the state of objects in files."""
