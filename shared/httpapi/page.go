package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// page is the part of a list that was asked for. Pages count from 0.
type page struct{ number, size int64 }

// maxPage keeps offsets far from overflow.
const maxPage = 1 << 31

// page reads the parameters page and size.
func (v *values) page(size, most int64) page {
	return page{
		number: v.intBetween("page", 0, maxPage, 0),
		size:   v.intBetween("size", 1, most, size),
	}
}

func (p page) offset() int64 { return p.number * p.size }

// describe sets the headers that say how many entries there are and where the
// other pages are.
func (p page) describe(w http.ResponseWriter, r *http.Request, total int64) {
	w.Header().Set("X-Total-Count", strconv.FormatInt(total, 10))
	last := max(total-1, 0) / p.size
	links := []string{p.link(r, 0, "first")}
	if p.number > 0 {
		links = append(links, p.link(r, min(p.number-1, last), "prev"))
	}
	if p.number < last {
		links = append(links, p.link(r, p.number+1, "next"))
	}
	links = append(links, p.link(r, last, "last"))
	w.Header().Set("Link", strings.Join(links, ", "))
}

func (p page) link(r *http.Request, number int64, relation string) string {
	query := r.URL.Query()
	query.Set("page", strconv.FormatInt(number, 10))
	query.Set("size", strconv.FormatInt(p.size, 10))
	target := url.URL{Path: r.URL.Path, RawQuery: query.Encode()}
	return fmt.Sprintf("<%s>; rel=%q", target.String(), relation)
}
