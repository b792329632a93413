package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// page is the requested part of a list: after the entry with the keys after or, without keys, after
// the first from entries. With keys, from only says how many entries the caller has read.
type page struct {
	from, size int64
	after      []string
}

// maxPage and maxOffset keep offsets far from overflow.
const (
	maxPage   = 1 << 31
	maxOffset = 1 << 41
)

// page reads the parameters page and size, or cursor and size. Pages count from 0. A cursor comes
// from the link to the next page; a number is the number of entries before the page, as in links of
// earlier releases.
func (v *values) page(size, most int64) page {
	p := page{size: v.intBetween("size", 1, most, size)}
	p.from = v.intBetween("page", 0, maxPage, 0) * p.size
	if !v.raw.Has("cursor") {
		return p
	}
	if v.raw.Has("page") {
		v.addError("cursor", "Use either page or cursor.")
	}
	text := v.text("cursor")
	if c, ok := parseCursor(text); ok {
		p.from, p.after = c.From, c.After
	} else if p.from = v.intBetween("cursor", 0, maxOffset, -1); p.from < 0 {
		p.from = 0
	}
	return p
}

// cursor is the content of the parameter: the keys of the last entry that the caller has read, and
// how many entries that were.
type cursor struct {
	From  int64    `json:"n"`
	After []string `json:"k"`
}

func (c cursor) String() string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // a number and texts can be encoded
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor is the inverse of String. The list itself checks the keys.
func parseCursor(text string) (c cursor, ok bool) {
	document, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(document, &c) != nil {
		return cursor{}, false
	}
	invalid := slices.ContainsFunc(c.After, func(s string) bool { return !pgtext.ValidText(s) })
	return c, len(c.After) > 0 && c.From >= 0 && c.From <= maxOffset && !invalid
}

// pageParams returns the parameters of a list: its own and those of all lists.
func pageParams(own ...string) []string { return append(own, "page", "size", "cursor") }

// list returns the part of a list that changes: one entry more than the page has, which shows whether
// there is a next page. See writeList.
func (p page) list() job.Page {
	if p.after != nil {
		return job.Page{After: p.after, Limit: p.size + 1}
	}
	return job.Page{Offset: p.from, Limit: p.size + 1}
}

// maxPageBytes limits the size of a page in addition to its number of entries, so that a list with
// large entries never exceeds the size of a response.
const maxPageBytes = 2 << 20

// writeWhole responds with a page of a list that was loaded as a whole, because its order is not known
// to the database. keyOf returns what identifies an entry as long as it keeps its place among the
// others; documents converts the entries of the page.
func writeWhole[Loaded, Entry any](w http.ResponseWriter, r *http.Request, status int, p page, all []Loaded, keyOf func(*Loaded) string, documents func([]Loaded) []Entry) error {
	total := int64(len(all))
	first := findPlace(p, all, keyOf)
	entries := documents(all[first:min(first+p.size+1, total)])
	return writeList(w, r, status, p, entries, func(i int) []string {
		at := first + int64(i)
		var keys []string
		for n := at; n < min(at+1+followers, total); n++ {
			keys = append(keys, keyOf(&all[n]))
		}
		return keys
	}, total)
}

// followers is the number of entries after the last one of a page that also show where the next page
// begins, in case that the last one is deleted or moved.
const followers = 4

// findPlace returns the index of the first entry of a page.
func findPlace[Loaded any](p page, all []Loaded, keyOf func(*Loaded) string) int64 {
	for n, key := range p.after {
		at := slices.IndexFunc(all, func(e Loaded) bool { return keyOf(&e) == key })
		switch {
		case at >= 0 && n == 0:
			return int64(at) + 1 // after the last entry
		case at >= 0:
			return int64(at)
		}
	}
	if n := len(p.after); n > 0 && n <= followers {
		return int64(len(all)) // all that followed is gone
	}
	return min(p.from, int64(len(all)))
}

// writeList responds with a page of a list that changes while it is read. entries are those of
// page.list; cursorOf returns the keys of one, after which the next page begins.
func writeList[Entry any](w http.ResponseWriter, r *http.Request, status int, p page, entries []Entry, cursorOf func(i int) []string, total int64) error {
	list := &listWriter{remaining: maxPageBytes}
	if err := addEntries(list, entries[:min(int64(len(entries)), p.size)]); err != nil {
		return err
	}
	return list.write(w, r, status, p, p.nextLink(r, list.entries, len(entries), cursorOf), total)
}

// addEntries adds as many entries to a list as fit.
func addEntries[Entry any](list *listWriter, entries []Entry) error {
	for i := range entries {
		if fits, err := list.add(entries[i]); err != nil || !fits {
			return err
		}
	}
	return nil
}

// nextLink returns the link to the page after the first written ones of the entries; "" if there are
// no others.
func (p page) nextLink(r *http.Request, written int64, entries int, cursorOf func(i int) []string) string {
	if written == 0 || written >= int64(entries) {
		return ""
	}
	after := cursor{min(p.from+written, maxOffset), cursorOf(int(written) - 1)}
	return p.linkTo(r, "cursor", after.String(), "next")
}

// write responds with the collected entries as a page of a list with total entries. next is the link
// to the next page, or "".
func (l *listWriter) write(w http.ResponseWriter, r *http.Request, status int, p page, next string, total int64) error {
	p.describe(w, r, next, total)
	w.Header().Set("Content-Type", l.contentType())
	w.WriteHeader(status)
	_, _ = w.Write(l.bytes()) // fails only if the caller has disconnected
	return nil
}

// totalCount is the header with the total number of entries of a paged list.
const totalCount = "X-Total-Count"

// describe sets the headers with the total number of entries and the links to the other pages.
func (p page) describe(w http.ResponseWriter, r *http.Request, next string, total int64) {
	w.Header().Set(totalCount, strconv.FormatInt(total, 10))
	last := max(total-1, 0) / p.size * p.size
	links := []string{p.link(r, 0, "first")}
	if p.from > 0 {
		links = append(links, p.link(r, min(max(p.from-p.size, 0), last), "prev"))
	}
	if next != "" {
		links = append(links, next)
	}
	links = append(links, p.link(r, last, "last"))
	w.Header().Set("Link", strings.Join(links, ", "))
}

// link returns the link to the page that begins with the entry from: with a page number if the pages
// have equal sizes, else with the number of entries before it.
func (p page) link(r *http.Request, from int64, relation string) string {
	if from%p.size == 0 {
		return p.linkTo(r, "page", strconv.FormatInt(from/p.size, 10), relation)
	}
	return p.linkTo(r, "cursor", strconv.FormatInt(from, 10), relation)
}

func (p page) linkTo(r *http.Request, name, value, relation string) string {
	query := r.URL.Query()
	query.Del("page")
	query.Del("cursor")
	query.Set(name, value)
	query.Set("size", strconv.FormatInt(p.size, 10))
	target := url.URL{Path: r.URL.Path, RawQuery: query.Encode()}
	return fmt.Sprintf("<%s>; rel=%q", target.String(), relation)
}
