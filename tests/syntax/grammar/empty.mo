within;
model Empty end Empty;