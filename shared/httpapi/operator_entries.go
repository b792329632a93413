package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/postgres"
)

// entryBody is the JSON form of an entry in requests.
type entryBody struct {
	Name     string `json:"name"`
	StartsOn string `json:"startsOn,omitempty"`
	EndsOn   string `json:"endsOn,omitempty"`
}

// entryDocument is the JSON form of an entry in responses.
type entryDocument struct {
	ID int64 `json:"id"`
	entryBody
}

func toEntry(e *registry.Entry) entryDocument {
	return entryDocument{e.ID, entryBody{Name: e.Name, StartsOn: e.StartsOn, EndsOn: e.EndsOn}}
}

func (b entryBody) entry(id int64) registry.Entry {
	return registry.Entry{ID: id, Name: b.Name, StartsOn: b.StartsOn, EndsOn: b.EndsOn}
}

// entryListFromPath returns the location of the list in the path, or NOT_FOUND.
func entryListFromPath(r *http.Request, kind registry.Kind) (registry.Location, error) {
	organisation, err := organisationFromPath(r)
	in := registry.Location{Organisation: organisation, Kind: kind}
	if err == nil && kind == registry.Category {
		in.Event, err = entryIDFromPath(r, registry.Event)
	}
	return in, err
}

// entryIDFromPath returns the id of an entry in the path, or NOT_FOUND.
func entryIDFromPath(r *http.Request, kind registry.Kind) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue(entryParameters[kind]), 10, 64)
	if err != nil {
		return 0, registry.EntryNotFound(kind)
	}
	return id, nil
}

// createEntry handles POST of a list of entries.
func (a *operatorAPI) createEntry(kind registry.Kind) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := entryListFromPath(r, kind)
		if err != nil {
			return err
		}
		var body entryBody
		if err := readJSON(r, &body, maxDocument); err != nil {
			return err
		}
		e, created, err := a.CreateEntry(r.Context(), callerName(r), in, body.entry(0))
		if err != nil {
			return err
		}
		address := fmt.Sprintf("%s/%d", r.URL.EscapedPath(), e.ID)
		if !created {
			return writeExists(w, kind.String(), address, e.ID)
		}
		w.Header().Set("Location", address)
		return writeJSON(w, http.StatusCreated, toEntry(e))
	}
}

// listEntries handles GET of a list of entries.
func (a *operatorAPI) listEntries(kind registry.Kind) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := operatorPageQuery(r)
		if err != nil {
			return err
		}
		in, err := entryListFromPath(r, kind)
		if err != nil {
			return err
		}
		found, total, err := a.Entries(r.Context(), in, p.list())
		if err != nil {
			return err
		}
		documents := make([]entryDocument, len(found))
		for i := range found {
			documents[i] = toEntry(&found[i])
		}
		return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.EntryCursor(&found[i]) }, total)
	}
}

// entryFromPath returns the location and the id of an entry.
func entryFromPath(r *http.Request, kind registry.Kind) (in registry.Location, id int64, err error) {
	if in, err = entryListFromPath(r, kind); err != nil {
		return in, 0, err
	}
	id, err = entryIDFromPath(r, kind)
	return in, id, err
}

// getEntry handles GET of one entry.
func (a *operatorAPI) getEntry(kind registry.Kind) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, id, err := entryFromPath(r, kind)
		if err != nil {
			return err
		}
		e, err := a.Entry(r.Context(), in, id)
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, toEntry(e))
	}
}

// updateEntry handles PUT of one entry. Omitted members are cleared.
func (a *operatorAPI) updateEntry(kind registry.Kind) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, id, err := entryFromPath(r, kind)
		if err != nil {
			return err
		}
		var body entryBody
		if err := readJSON(r, &body, maxDocument); err != nil {
			return err
		}
		e, err := a.UpdateEntry(r.Context(), callerName(r), in, body.entry(id))
		if err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, toEntry(e))
	}
}
