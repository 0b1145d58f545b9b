"""The Connect worker: connectors, their tasks, states, configurations and offsets."""
