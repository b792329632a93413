// Package outage recognises a database that is away for a moment: it starts, restarts, moves to
// another host, has too many connections, or its owner has locked a table.
package outage

import (
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Database reports whether the database could not be reached, had no connection left, ended the
// connection, or kept a statement waiting for a lock for longer than lock_timeout.
func Database(err error) bool {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return true
	}
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (strings.HasPrefix(pg.Code, "08") || slices.Contains(codes, pg.Code))
}

// codes are those of a database with too many connections (53300), that shuts down, has crashed or
// starts (57P), or that has become read-only by a failover, and that of lock_timeout (55P03).
var codes = []string{"53300", "57P01", "57P02", "57P03", "25006", lockNotAvailable}

const lockNotAvailable = "55P03"

// Locked reports whether a statement has waited for a lock for longer than lock_timeout.
func Locked(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == lockNotAvailable
}

// Contended reports whether a transaction failed only because of concurrent ones: serialization
// failure or deadlock.
func Contended(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}
