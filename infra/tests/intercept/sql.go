package intercept

import (
	"strings"
	"testing"
)

// Statement is what a function asks of the database and has not been sent on yet.
type Statement struct {
	Process
	// SQL is its text: "commit", or what the function's code says.
	SQL string
	// Earlier are the texts of the statements before it in the same transaction.
	Earlier    string
	connection *connection
}

// Commits reports whether the statement commits a transaction in which there was a
// statement with that text.
func (s *Statement) Commits(text string) bool {
	return s.SQL == "commit" && strings.Contains(s.Earlier, text)
}

// Disconnect ends the connection, on both sides: the statement is not sent, and what the
// transaction has done is lost.
func (s *Statement) Disconnect() { s.connection.close() }

// SQLHook decides about a statement, which is sent when it returns unless it has been
// cut. If it returns a function, that is called when the statement is done, before
// the caller hears of it. It may be called for several connections at a time.
type SQLHook func(s *Statement) (done func())

// OnSQL has hook decide about all statements until the test ends.
func (b *Interceptor) OnSQL(t *testing.T, hook SQLHook) {
	b.sql.Store(&hook)
	t.Cleanup(func() { b.sql.CompareAndSwap(&hook, nil) })
}
