"""What one question about an object becomes: requests, and the facts that their replies tell. A module for each kind of question."""
