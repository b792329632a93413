package blueprint

import "time"

// The longest that functions wait for a connection: a paused database takes 15 seconds to
// resume, and longer after days. API callers are asked to retry instead, before the gateway
// times out; by then the database is waking up.
const (
	ConnectTimeout      = 45 * time.Second // the default of the functions (shared/aws/rds)
	shortConnectTimeout = 10 * time.Second
	// Commands, such as the creation of the first organisation, have no caller that retries, but those
	// of the API have to respond within the gateway's 29 seconds.
	commandConnectTimeout = 25 * time.Second
)

// connectEnv is for functions with waiting callers.
func connectEnv(timeout time.Duration) Env {
	return Env{Name: "DATABASE_CONNECT_TIMEOUT", Value: timeout.String()}
}
