"""Names of datasets by what a program says of them: the options of a provider, a JDBC URL."""
