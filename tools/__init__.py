"""Programs for those who maintain the project; nothing here is part of a release's wheel."""
