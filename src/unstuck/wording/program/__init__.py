"""What programs write when they cannot go on, in many languages, as data; read into a `Complaint` by `read`."""
