package intercept

import (
	"strings"
	"testing"
)

// Statement is a function's statement that has not been forwarded to the database yet.
type Statement struct {
	Process
	// SQL is its text: "commit", or the text in the function's code.
	SQL string
	// Earlier contains the texts of the earlier statements in the same transaction.
	Earlier    string
	connection *connection
}

// Commits reports whether the statement commits a transaction that contains a
// statement with that text.
func (s *Statement) Commits(text string) bool {
	return s.SQL == "commit" && strings.Contains(s.Earlier, text)
}

// Disconnect closes both sides of the connection: the statement is not sent, and the
// transaction is rolled back.
func (s *Statement) Disconnect() { s.connection.close() }

// SQLHook is called for a statement, which is forwarded when the hook returns unless it has
// disconnected. A returned function is called when the statement is done, before its caller
// receives the response. A hook may be called for several connections concurrently.
type SQLHook func(s *Statement) (done func())

// OnSQL calls hook for all statements until the test ends.
func (b *Interceptor) OnSQL(t *testing.T, hook SQLHook) {
	b.sql.Store(&hook)
	t.Cleanup(func() { b.sql.CompareAndSwap(&hook, nil) })
}
