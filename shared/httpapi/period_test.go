package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestPeriodFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, at := range []string{"2026-05-30T23:59:59Z", "2026-05-31T00:00:00Z", "2026-05-31T23:59:59.999Z", "2026-06-01T00:00:00Z"} {
		id := decode[fields](b.uploadOrders(t, "ann", orders+at, nil), http.StatusAccepted)["jobIdentifier"]
		b.Exec(t, `UPDATE import_jobs SET created_at = $1 WHERE uuid = $2`, at, id)
	}
	for _, list := range []struct{ path, from, to string }{
		{"/api/imports", "createdFrom", "createdTo"}, {"/v1/imports", "created_from", "created_to"},
		{"/api/orders/bulk-uploads", "uploadedFrom", "uploadedTo"},
	} {
		for _, c := range []struct {
			from, to string
			want     int
		}{
			{"", "", 4},
			{"2026-05-31", "", 3},
			{"", "2026-05-31", 3}, // includes the day
			{"2026-05-31", "2026-05-31", 2},
			{"2026-05-31T00:00:00Z", "2026-05-31T23:59:59.999Z", 1}, // excludes the instant
			{"2026-05-31T02:00:00+02:00", "2026-06-01T00:00:01Z", 3},
			{"2027-01-01", "", 0},
		} {
			query := url.Values{list.from: {c.from}, list.to: {c.to}}
			require.Equal(t, c.want, b.countEntries(t, list.path+"?"+query.Encode()), "%s %v", list.path, query)
		}
		for _, wrong := range []string{"yesterday", "2026-02-30", "31.05.2026", "2026-05-31T14:30:00", "0001-01-01", "99999-01-01"} {
			query := url.Values{list.from: {wrong}}
			p := b.do(t, get(list.path+"?"+query.Encode())).requireProblem(400, problem.ParameterInvalid)
			require.Contains(t, fmt.Sprint(p["errors"]), list.from)
		}
		backwards := url.Values{list.from: {"2026-06-01"}, list.to: {"2026-05-31"}}
		b.do(t, get(list.path+"?"+backwards.Encode())).requireProblem(400, problem.ParameterInvalid)
	}
}
