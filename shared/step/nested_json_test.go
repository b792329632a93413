package step_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// A member of an object may be a field, such as `author.id`. An object in place of a list is an
// error of its row; it is never stored as a list that contains JSON.
func TestObjectsInArticles(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	const author = "00000000-0000-4000-8000-0000000000a1"
	e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, $1, 'a@x.org', 'A')`, author)

	ref := e.create(t, "ARTICLE", "articles.ndjson", `{"slug":"within","title":"One","body":"…","author":{"id":"`+author+`"}}`+"\n", nil)
	e.prepare(t, ref)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"1 CREATED"}, e.results(t, ref))

	article := `{"slug":"%s","title":%s,"body":"…","author":"` + author + `","tags":%s}` + "\n"
	ref = e.create(t, "ARTICLE", "articles.ndjson",
		fmt.Sprintf(article, "one", `"One"`, `{"a":1}`)+fmt.Sprintf(article, "two", `"Two"`, `"go, aws"`)+fmt.Sprintf(article, "three", `{"en":"Three"}`, `[]`), nil)
	e.prepare(t, ref)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"1 ERROR TAGS CELL_LIST", "2 CREATED", "3 ERROR TITLE CELL_NESTED"}, e.results(t, ref))
	require.Equal(t, []string{"go", "aws"}, postgrestest.Query[[]string](t, e.Database, `SELECT tags FROM articles WHERE slug = 'two'`))
}
