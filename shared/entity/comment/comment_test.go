package comment_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/comment"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const (
	userID      = "00000000-0000-4000-8000-0000000000a1"
	articleID   = "00000000-0000-4000-8000-0000000000b1"
	id1         = "00000000-0000-4000-8000-000000000001"
	unknownUser = "00000000-0000-4000-8000-00000000dead"
)

var fields = []string{"id", "body", "article_id", "user_id"}

func write(t *testing.T, d *postgrestest.Database, mode rowwrite.Mode, source int64, rows ...[]string) []string {
	t.Helper()
	b := entitytest.Batch(t, comment.New(), mode, source, fields, rows...)
	require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error {
		return comment.New().Write(context.Background(), tx, b)
	}))
	return entitytest.Outcomes(b)
}

func TestInsertRejectsMissingArticleOrUser(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, $1, 'a@x.org', 'A')`, userID)
	d.Exec(t, `INSERT INTO articles (organisation_id, id, slug, title, body, author_id) VALUES (1, $1, 's', 'T', 'B', $2)`, articleID, userID)

	require.Equal(t, []string{"created", "created", "ARTICLE_ID REFERENCE_NOT_FOUND", "USER_ID REFERENCE_NOT_FOUND", "ID ROW_DUPLICATE"},
		write(t, d, rowwrite.Insert, 1,
			[]string{id1, "first", articleID, userID},
			[]string{"", "without an id", articleID, userID},
			[]string{"", "no article", unknownUser, userID},
			[]string{"", "no user", articleID, unknownUser},
			[]string{id1, "same id", articleID, userID},
		))
	require.Equal(t, []string{"updated", "ID CELL_REQUIRED"}, write(t, d, rowwrite.Upsert, 2,
		[]string{id1, "changed", articleID, userID},
		[]string{"", "which one?", articleID, userID},
	))
	require.Equal(t, []string{"changed", "without an id"}, postgrestest.Query[[]string](t, d, `SELECT array_agg(body ORDER BY body) FROM comments`))
}
