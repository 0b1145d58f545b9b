"""What `make` runs from a clone: demo, embedded servers, writers of reference pages and locks."""
