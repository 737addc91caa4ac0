"""The PostgreSQL door: version 3 of the frontend/backend protocol, on asyncio, over the service."""
