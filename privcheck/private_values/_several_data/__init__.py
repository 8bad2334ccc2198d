"""Functions of several data that stay private: how far each datum can move the result is known."""
