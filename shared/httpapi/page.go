package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// page is the requested part of a list.
type page struct{ from, size int64 }

// maxPage and maxCursor keep offsets far from overflow.
const (
	maxPage   = 1 << 31
	maxCursor = 1 << 41
)

// page reads the parameters page and size, or cursor and size. Pages count from 0; a cursor is the
// number of entries before the page, as in the links of a response.
func (v *values) page(size, most int64) page {
	p := page{size: v.intBetween("size", 1, most, size)}
	p.from = v.intBetween("page", 0, maxPage, 0) * p.size
	if v.raw.Has("cursor") {
		p.from = v.intBetween("cursor", 0, maxCursor, 0)
		if v.raw.Has("page") {
			v.addError("cursor", "Use either page or cursor.")
		}
	}
	return p
}

// pageParams returns the parameters of a list: its own and those of all lists.
func pageParams(own ...string) []string { return append(own, "page", "size", "cursor") }

func (p page) offset() int64 { return p.from }

// maxPageBytes limits the size of a page in addition to its number of entries, so that a list with
// large entries never exceeds the size of a response.
const maxPageBytes = 2 << 20

// writePage responds with a page of a list of total entries: as many entries as fit into a
// response, and a link to the next page.
func writePage[Entry any](w http.ResponseWriter, r *http.Request, status int, p page, entries []Entry, total int64) error {
	list := &listWriter{remaining: maxPageBytes}
	for i := range entries {
		if fits, err := list.add(entries[i]); err != nil || !fits {
			if err != nil {
				return err
			}
			break
		}
	}
	return list.write(w, r, status, p, total)
}

// write responds with the collected entries as a page of a list with total entries.
func (l *listWriter) write(w http.ResponseWriter, r *http.Request, status int, p page, total int64) error {
	p.describe(w, r, l.entries, total)
	w.Header().Set("Content-Type", l.contentType())
	w.WriteHeader(status)
	_, _ = w.Write(l.bytes()) // fails only if the caller has disconnected
	return nil
}

// totalCount is the header with the total number of entries of a paged list.
const totalCount = "X-Total-Count"

// describe sets the headers with the total number of entries and the links to the other pages,
// after a page with the number of entries.
func (p page) describe(w http.ResponseWriter, r *http.Request, entries, total int64) {
	w.Header().Set(totalCount, strconv.FormatInt(total, 10))
	last := max(total-1, 0) / p.size * p.size
	links := []string{p.link(r, 0, "first")}
	if p.from > 0 {
		links = append(links, p.link(r, min(max(p.from-p.size, 0), last), "prev"))
	}
	if next := p.from + entries; entries > 0 && next < total {
		links = append(links, p.link(r, next, "next"))
	}
	links = append(links, p.link(r, last, "last"))
	w.Header().Set("Link", strings.Join(links, ", "))
}

// link returns the address of the page that begins with the entry from: with a page number if the
// pages have equal sizes, else with a cursor.
func (p page) link(r *http.Request, from int64, relation string) string {
	query := r.URL.Query()
	query.Del("page")
	query.Del("cursor")
	if from%p.size == 0 {
		query.Set("page", strconv.FormatInt(from/p.size, 10))
	} else {
		query.Set("cursor", strconv.FormatInt(from, 10))
	}
	query.Set("size", strconv.FormatInt(p.size, 10))
	target := url.URL{Path: r.URL.Path, RawQuery: query.Encode()}
	return fmt.Sprintf("<%s>; rel=%q", target.String(), relation)
}
