package schema

import "github.com/jackc/pgx/v5"

// withPath returns the configuration of connections with a search path.
func withPath(c *pgx.ConnConfig, path string) *pgx.ConnConfig {
	c = c.Copy()
	c.RuntimeParams["search_path"] = path
	return c
}
