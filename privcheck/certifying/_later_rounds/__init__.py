"""What a policy may do in rounds after those that ran: numbers in its code that are beyond them."""
