"""What is found, as files of other formats: impinge.export, and the verb of the same name."""
