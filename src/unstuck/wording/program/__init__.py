"""Fatal messages of programs in many languages, as data; read into a `Complaint` by `read`."""
