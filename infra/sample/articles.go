package sample

import (
	"fmt"
	"strconv"
)

// Authors is the number of authors in Articles: AuthorID(1) to AuthorID(Authors).
const Authors = 100

// AuthorID returns the id of the n-th author.
func AuthorID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// Articles returns a sheet with all columns of an article, about 400 bytes per row.
func Articles() Sheet {
	return Sheet{
		Columns: []string{"id", "slug", "title", "description", "body", "author_id", "tags", "published_at", "status", "created_at", "updated_at"},
		Cells: func(i int) []string {
			u, n := userCells(i, false), strconv.Itoa(i)
			return []string{
				u[0],
				"article-" + n,
				"What became of row number " + n,
				"How row number " + n + " of a file found its place in a table",
				"Row number " + n + " was one of very many. It was read and decoded; then it was written once and once only; and its outcome was reported.",
				AuthorID(i%Authors + 1),
				"{rows}",
				u[5],
				[...]string{"draft", "published", "archived"}[i%3],
				u[5],
				u[6],
			}
		},
	}
}
