"""A store in SQLite or PostgreSQL, by SQLAlchemy Core."""
