"""What runs Millrace: the embedded stack for development, and packaging for servers."""
