"""The running task of a connector: from changes to acknowledged messages and stored offsets."""
