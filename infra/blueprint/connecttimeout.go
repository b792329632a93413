package blueprint

import "time"

// The longest that functions wait for a connection: a database that has slept takes 15
// seconds to come back, and longer after days. Whoever calls the API is told to come again
// instead, before the gateway loses its patience; that has woken the database too.
const (
	ConnectTimeout      = 45 * time.Second // what functions have by themselves (shared/aws/rds)
	ShortConnectTimeout = 10 * time.Second
)

// shortConnectEnv is for functions that somebody waits for.
func shortConnectEnv() Env {
	return Env{Name: "DATABASE_CONNECT_TIMEOUT", Value: ShortConnectTimeout.String()}
}
