"""HTTP: the API for programs and the console for people, both in front of one `Service`."""
