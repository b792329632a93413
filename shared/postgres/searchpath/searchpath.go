// Package searchpath is the search path of sessions in Loadbay's database. Its own tables are in the
// schema loadbay, those of the import types that come with it in the schema sample. The schema
// public belongs to others (docs/decisions/0040).
//
// Tested by shared/postgres and infra/tests/e2e: nothing finds a table without it.
package searchpath

import (
	"net/url"
	"strings"
)

// Path is the search path of every role. A temporary table hides nothing, because pg_temp comes
// last.
const Path = "loadbay, sample, pg_temp"

// In adds the search path to the database URL of a role that has none of its own, such as a
// superuser's, for psql and for tests.
func In(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // connecting reports it
	}
	q := u.Query()
	q.Set("options", "-csearch_path="+strings.ReplaceAll(Path, " ", ""))
	u.RawQuery = q.Encode()
	return u.String()
}
