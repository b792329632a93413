package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// page is the part of a list that was asked for.
type page struct{ from, size int64 }

// maxPage and maxCursor keep offsets far from overflow.
const (
	maxPage   = 1 << 31
	maxCursor = 1 << 41
)

// page reads the parameters page and size, or cursor and size. Pages count from 0; a
// cursor is how many entries come before, as in the links of an answer.
func (v *values) page(size, most int64) page {
	p := page{size: v.intBetween("size", 1, most, size)}
	p.from = v.intBetween("page", 0, maxPage, 0) * p.size
	if v.raw.Has("cursor") {
		p.from = v.intBetween("cursor", 0, maxCursor, 0)
		if v.raw.Has("page") {
			v.addError("cursor", "Give either page or cursor.")
		}
	}
	return p
}

// pageParams are the parameters of every list, along with its own.
func pageParams(own ...string) []string { return append(own, "page", "size", "cursor") }

func (p page) offset() int64 { return p.from }

// maxPageBytes ends a page before its number of entries does: no list is more than an
// answer can carry, whatever its entries hold.
const maxPageBytes = 2 << 20

// writePage responds with a page of a list, of which there are total entries: with as
// many of them as an answer carries, and a link to the next one.
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

// write responds with the list as a page of one with total entries.
func (l *listWriter) write(w http.ResponseWriter, r *http.Request, status int, p page, total int64) error {
	p.describe(w, r, l.entries, total)
	w.Header().Set("Content-Type", l.contentType())
	w.WriteHeader(status)
	_, _ = w.Write(l.bytes()) // fails only if the caller has gone
	return nil
}

// totalCount is the header that says how many entries there are of what a page is of.
const totalCount = "X-Total-Count"

// describe sets the headers that say how many entries there are and where the
// other pages are, after one with so many of them.
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

// link is the address of the page that begins with an entry: as a number where it is
// one of equal pages, else as a cursor.
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
