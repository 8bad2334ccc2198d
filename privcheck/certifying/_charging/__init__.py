"""What releases of a guarded session are charged."""
