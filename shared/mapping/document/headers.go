package document

import (
	"strconv"
	"strings"
)

// Headers finds the columns of a file that a document names. A column is named by its
// header, ignoring spaces around it; of columns with the same header, the second is
// "Header#2"; and a column without a header is named by its position, the third of the file
// "#3".
type Headers struct {
	names  []string       // unique names of the columns
	places map[string]int // by name
	count  int
}

// NewHeaders returns the column names of a file with that header.
func NewHeaders(header []string) *Headers {
	h := &Headers{names: make([]string, len(header)), places: make(map[string]int, len(header)), count: len(header)}
	seen := make(map[string]int, len(header))
	for i, name := range header {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, taken := h.places[name]; !taken {
			h.names[i], h.places[name] = name, i
		}
	}
	for i, name := range header {
		name = strings.TrimSpace(name)
		seen[name]++
		if h.names[i] != "" {
			continue
		}
		if name == "" {
			h.addName(i, byPlace(i))
		} else {
			h.addName(i, name+"#"+strconv.Itoa(seen[name]))
		}
	}
	return h
}

// addName names a column. A header that is itself "Name#2" keeps its name, and the second
// "Name" gets another suffix.
func (h *Headers) addName(place int, name string) {
	for {
		if _, taken := h.places[name]; !taken {
			h.names[place], h.places[name] = name, place
			return
		}
		name = "#" + name
	}
}

func byPlace(i int) string { return "#" + strconv.Itoa(i+1) }

// Name returns the name that documents use for the column at that place, counted from 0.
func (h *Headers) Name(place int) string {
	if place < 0 || place >= h.count {
		return byPlace(place)
	}
	return h.names[place]
}

// Slice returns the columns from that place on, counted from there.
func (h *Headers) Slice(place int) *Headers {
	rest := &Headers{names: h.names[place:], places: make(map[string]int), count: h.count - place}
	for i, name := range rest.names {
		rest.places[name] = i
	}
	return rest
}

// Place returns the position of the column with that name, counted from 0.
func (h *Headers) Place(name string) (place int, ok bool) {
	name = strings.TrimSpace(name)
	if place, ok = h.places[name]; ok {
		return place, true
	}
	if digits, numbered := strings.CutPrefix(name, "#"); numbered {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= h.count {
			return n - 1, true
		}
	}
	return 0, false
}
