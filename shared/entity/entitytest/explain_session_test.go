package entitytest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// explainSession is a session with the functions' role that receives the plans of its statements.
// Rows that a join discards count as read.
type explainSession struct {
	conn *pgx.Conn
	// maxRows is the largest number of rows that one node of a plan has read; where identifies it.
	maxRows     float64
	maxRowsNode string
}

// newExplainSession opens an explainSession.
func newExplainSession(t *testing.T, d *postgrestest.Database) *explainSession {
	t.Helper()
	name := postgrestest.Query[string](t, d, "SELECT current_database()")
	for _, setting := range []string{
		"session_preload_libraries = auto_explain", "auto_explain.log_min_duration = 0", "auto_explain.log_analyze = on",
		"auto_explain.log_timing = off", "auto_explain.log_format = json", "auto_explain.log_level = notice",
	} {
		d.Exec(t, fmt.Sprintf("ALTER DATABASE %s SET %s", name, setting))
	}
	e := &explainSession{}
	config, err := pgx.ParseConfig(d.AppURL)
	require.NoError(t, err)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { e.recordPlan(t, n.Message) }
	e.conn, err = pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.conn.Close(context.Background()) })
	return e
}

// inOrganisation runs f in the same way as the functions.
func (e *explainSession) inOrganisation(ctx context.Context, organisation int64, f func(pgx.Tx) error) error {
	begin := fmt.Sprintf("BEGIN; SELECT set_config('app.organisation', '%d', true)", organisation)
	return pgx.BeginTxFunc(ctx, e.conn, pgx.TxOptions{BeginQuery: begin}, f)
}

// node is a node of a plan; its numbers of rows are per execution.
type node struct {
	Type       string  `json:"Node Type"`
	Loops      float64 `json:"Actual Loops"`
	Rows       float64 `json:"Actual Rows"`
	Filtered   float64 `json:"Rows Removed by Filter"`
	NotJoined  float64 `json:"Rows Removed by Join Filter"`
	Mismatched float64 `json:"Rows Removed by Index Recheck"`
	Plans      []*node
}

// recordPlan parses a plan: "duration: 1.2 ms  plan:" and JSON.
func (e *explainSession) recordPlan(t *testing.T, message string) {
	t.Helper()
	_, text, ok := strings.Cut(message, "plan:")
	if !ok {
		return
	}
	var plan struct {
		Query string `json:"Query Text"`
		Plan  *node
	}
	require.NoError(t, json.Unmarshal([]byte(text), &plan))
	e.visitNode(plan.Plan, plan.Query)
}

func (e *explainSession) visitNode(n *node, query string) {
	if seen := n.Loops * (n.Rows + n.Filtered + n.NotJoined + n.Mismatched); seen > e.maxRows {
		e.maxRows, e.maxRowsNode = seen, n.Type+" of "+query
	}
	for _, part := range n.Plans {
		e.visitNode(part, query)
	}
}
