"""Where chunks of runs are played: in this process, in its threads, or in processes of their own."""
